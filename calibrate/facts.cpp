#include "calibrate/facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "model/error.hpp"

namespace qpcast::calibrate {

namespace {

/// Wire bytes beside the payload, per packet (mechanisms/wire.hpp).
constexpr double infiniband_header = 42, roce_header = 98;
/// The emulated NIC moves bytes with a processor's stores: no wire that could be the bound.
constexpr double no_link_gbit = 8000, no_packets = 1 << 30, no_header = 1;

class Deriver {
 public:
  Deriver(const std::vector<const Measurement*>& rows, Warnings& warnings)
      : rows_{rows}, warnings_{warnings} {}

  PlatformFacts facts() {
    name_devices();
    if (gpu_) derive_gpu();
    derive_link();
    derive_host();
    f_.source = fmt::format("environment of {} rows: {}", rows_.size(), fmt::join(from_, "; "));
    if (!assumed_.empty()) f_.source += fmt::format(". Assumed: {}", fmt::join(assumed_, "; "));
    return f_;
  }

 private:
  /// What the first row that has it says.
  std::optional<std::string> text(const std::string& key) const {
    for (const auto* row : rows_)
      if (const auto it = row->environment.find(key); it != row->environment.end())
        return it->second;
    return std::nullopt;
  }

  /// Every row's leading number under a key.
  std::vector<double> numbers(const std::string& key) const {
    std::vector<double> out;
    for (const auto* row : rows_) {
      const auto it = row->environment.find(key);
      if (it == row->environment.end()) continue;
      double value = 0;
      const auto& s = it->second;
      if (std::from_chars(s.data(), s.data() + s.size(), value).ec != std::errc{} || value <= 0)
        throw InputError{row->where.empty() ? row->id : row->where, "environment." + key,
                         fmt::format("'{}' does not start with a number above 0", s)};
      out.push_back(value);
    }
    return out;
  }

  static double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  void take(double& fact, const std::string& what, const std::string& key) {
    fact = median(numbers(key));
    from_.push_back(fmt::format("{} {:g} ({})", what, fact, key));
  }

  void assume(const std::string& what, double value, const std::string& why) {
    assumed_.push_back(fmt::format("{} {:g} ({})", what, value, why));
    warnings_.push_back(
        {"assumed-fact", rows_.front()->platform,
         fmt::format("{} is assumed to be {:g}: {}; --facts overrides it", what, value, why)});
  }

  void name_devices() {
    const auto gpu = text("gpu"), nic = text("nic"), cpu = text("cpu"), board = text("nic.board");
    gpu_ = gpu && *gpu != "none";
    f_.nic = nic.value_or("unknown NIC") + (board ? " " + *board : "");
    f_.description = fmt::format("{}, {}, NIC {}", gpu_ ? *gpu : "no GPU",
                                 cpu.value_or("unknown processor"), f_.nic);
    f_.nic_kind = kind();
  }

  /// The emulated NIC goes by a rate or a cache that it imposes. Which ones is for the fit to find.
  bool paced() const {
    const auto imposed = text("nic.imposed").value_or("");
    return imposed.find("rate=") != imposed.npos || imposed.find("contexts=") != imposed.npos;
  }

  /// A verbs device without a board under it is a kernel transport: its work is done in the post.
  NicKind kind() const {
    const auto& source = rows_.front()->source.kind;
    if (source == "emulated") {
      if (paced()) return NicKind::paced;
      const auto mode = text("nic.mode");
      return mode && mode->starts_with("sink") ? NicKind::sink : NicKind::with_queues;
    }
    const auto software = text("nic.software");
    const auto nic = text("nic").value_or("");
    const bool named = nic.starts_with("rxe") || nic.starts_with("siw");
    if (source == "verbs" && (software ? *software == "yes" : named)) return NicKind::in_post;
    return NicKind::hardware;
  }

  void derive_gpu() {
    if (text("gpu.sm_clock_observed_mhz"))
      take(f_.sm_clock_mhz, "SM clock, MHz", "gpu.sm_clock_observed_mhz");
    else if (text("gpu.sm_clock_max_mhz"))
      take(f_.sm_clock_mhz, "SM clock, MHz", "gpu.sm_clock_max_mhz");
    else
      assume("the SM clock, MHz,", f_.sm_clock_mhz, "no row records gpu.sm_clock_observed_mhz");
    double sms = f_.sms;
    if (text("gpu.sms"))
      take(sms, "SMs", "gpu.sms");
    else
      assume("the number of SMs", sms, "no row records gpu.sms");
    f_.sms = static_cast<int>(sms);
    // NVIDIA's names: GH and GB with three digits are a Grace CPU and its GPU, one address space.
    const auto gpu = *text("gpu");
    f_.coherent = gpu.find("GH200") != gpu.npos || gpu.find("GB200") != gpu.npos ||
                  gpu.find("GB300") != gpu.npos;
    from_.push_back(fmt::format(
        "{} (gpu)", f_.coherent ? "coherent CPU-GPU memory" : "no coherent CPU-GPU memory"));
  }

  void derive_link() {
    if (rows_.front()->source.kind == "emulated") {
      f_.link_gbit_per_s = no_link_gbit;
      f_.mtu = no_packets;
      f_.header = no_header;
      from_.emplace_back("the emulated NIC has no wire and no packets");
      return;
    }
    if (text("nic.link"))
      take(f_.link_gbit_per_s, "link, Gb/s", "nic.link");
    else
      assume("the link rate, Gb/s,", f_.link_gbit_per_s, "no row records nic.link");
    if (text("nic.mtu"))
      take(f_.mtu, "MTU, bytes", "nic.mtu");
    else
      assume("the MTU, bytes,", f_.mtu, "no row records nic.mtu");
    if (const auto layer = text("nic.link_layer")) {
      f_.header = *layer == "Ethernet" ? roce_header : infiniband_header;
      from_.push_back(fmt::format("{:g} header bytes a packet ({})", f_.header, *layer));
    } else {
      assume("the header, bytes a packet,", f_.header, "no row records nic.link_layer");
    }
  }

  void derive_host() {
    if (text("cpu.observed_mhz")) return take(f_.cpu_mhz, "host clock, MHz", "cpu.observed_mhz");
    if (text("cpu.mhz")) return take(f_.cpu_mhz, "host clock, MHz", "cpu.mhz");
    assumed_.emplace_back("a host as fast as the reference's");
    warnings_.push_back({"assumed-fact", rows_.front()->platform,
                         "no row records the host's clock: host.speed starts at 1"});
  }

  const std::vector<const Measurement*>& rows_;
  Warnings& warnings_;
  PlatformFacts f_;
  bool gpu_ = false;
  std::vector<std::string> from_, assumed_;
};

}  // namespace

PlatformFacts derive_facts(const std::vector<const Measurement*>& rows, Warnings& warnings) {
  return Deriver{rows, warnings}.facts();
}

std::map<std::string, PlatformFacts> facts_of(const std::vector<Measurement>& rows,
                                              std::map<std::string, PlatformFacts> known,
                                              Warnings& warnings) {
  std::map<std::string, std::vector<const Measurement*>> by_platform;
  for (const auto& row : rows)
    if (!known.contains(row.platform)) by_platform[row.platform].push_back(&row);
  for (const auto& [name, members] : by_platform)
    known.emplace(name, derive_facts(members, warnings));
  return known;
}

}  // namespace qpcast::calibrate
