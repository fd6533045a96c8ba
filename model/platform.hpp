/// Platform: what calibration learned about one cluster.
///
/// Named parameters, each with unit, value, interval and provenance, plus the facts that are read
/// off a data sheet (clocks, SM count, link). Intervals are central 90 % unless said otherwise.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.hpp"
#include "model/parameters.hpp"

namespace qpcast {

/// What performs the WQEs (mechanisms/software_nic.hpp).
enum class NicKind : std::uint8_t {
  hardware,     ///< an adapter
  in_post,      ///< a program that runs inside the post call, on the thread that posts: Soft-RoCE
  sink,         ///< a program that retires what is announced, without reading it
  with_queues,  ///< a program that runs where the queues are: a CPU thread, or a GPU kernel
  paced,        ///< the same, kept to an imposed message rate or context cache
};

/// Facts that are known without a measurement. Units in the names of the JSON members.
struct PlatformFacts {
  std::string description;       ///< free text
  std::string nic;               ///< platforms that name the same NIC share its ceiling
  double sm_clock_mhz = 1970;    ///< clock a layout runs at when it names none, > 0
  int sms = 132;                 ///< streaming multiprocessors per GPU, >= 1
  bool reference = false;        ///< the platform that others' speeds are stated against
  bool coherent = false;         ///< the NIC reaches GPU memory through a coherent CPU
  double link_gbit_per_s = 200;  ///< nominal link rate per NIC, > 0
  double mtu = 4096;             ///< path MTU, bytes, > 0; 256 to 4096 on InfiniBand and RoCE
  double header = 42;            ///< wire bytes beside payload, per packet (mechanisms/wire.hpp)
  NicKind nic_kind = NicKind::hardware;
  double cpu_mhz = 0;  ///< observed clock of the host's processors; 0: not known
  std::string source;  ///< where these facts come from
};

/// Determined by rows, stated by a source, or still at its prior.
enum class Provenance : std::uint8_t { fitted, published, assumed };

/// One parameter as calibration left it.
struct Parameter {
  std::string name;       ///< "nic.ceiling" or "library.gin-gdaki.issue"
  std::string unit;       ///< as the parameter table has it
  double value = 0;       ///< in `unit`, > 0
  double lo = 0, hi = 0;  ///< central 90 % interval, in `unit`
  Provenance provenance = Provenance::assumed;
  std::vector<std::string> rows;  ///< ids of the rows that determined it, strongest first
  std::string note;               ///< why assumed, or which platform it was carried over from
};

/// What a calibrated model leaves unexplained: sd of log(measured / predicted), > 0.
struct Discrepancy {
  double times = 0.05;   ///< of issue, completion and every other metric
  double rates = 0.05;   ///< of rate and goodput
  double probes = 0.05;  ///< of round trips, and of the bulk rate carried beside them
  double of(Metric metric) const {
    return is_probe(metric) ? probes : is_rate(metric) ? rates : times;
  }
  double largest() const { return std::max({times, rates, probes}); }
};

/// A calibrated platform. Values live in `parameters`; `covariance` is that of their logarithms,
/// in the same order, row-major, and carries the correlations that intervals need.
struct Platform {
  std::string name;  ///< rows name it; not empty
  PlatformFacts facts;
  std::vector<Parameter> parameters;  ///< every one the fit knew, assumed ones too
  std::vector<double> covariance;     ///< of logarithms; parameters squared, or empty
  /// sd of log(measured / predicted) that parameters do not explain, model error and passes, of
  /// each kind of metric: a machine's latencies may repeat to a percent where its rates do not, and
  /// an answer waits for more threads than either.
  Discrepancy discrepancy;
  std::string calibrated_from;  ///< data files and row count
  bool emulated = false;        ///< any row came from an emulated NIC
  /// Layouts that were measured for it, each once; empty when only published figures were read,
  /// which state no more of a layout than their point needs.
  std::vector<std::string> layouts;

  const Parameter* find(std::string_view parameter) const;
};

/// What is wrong with a name, which is also a file's: it must not be empty, begin with a dot, or
/// hold a slash or a control character. Empty when nothing is.
std::string wrong_in_platform_name(std::string_view name);

/// The values of a platform laid out for the mechanisms: dense, one lookup by enumerator.
///
/// Index space: [0, param_count) are platform parameters; then cost_count entries for each cost
/// profile in `profiles` order. Entries a platform does not name hold the table's prior.
class ParameterValues {
 public:
  /// Every platform parameter at its prior, no profiles.
  ParameterValues();
  /// @throws InputError when the platform names an unknown parameter
  explicit ParameterValues(const Platform& platform);

  double operator[](std::size_t index) const { return values_[index]; }
  double& operator[](std::size_t index) { return values_[index]; }
  double get(Param p) const { return read(index(p)); }
  double get(int profile, Cost c) const { return read(index(profile, c)); }
  std::size_t size() const { return values_.size(); }

  static std::size_t index(Param p) { return static_cast<std::size_t>(p); }
  static std::size_t index(int profile, Cost c) {
    return param_count + static_cast<std::size_t>(profile) * cost_count +
           static_cast<std::size_t>(c);
  }
  /// Whether a library's cost is known: the platform has it, or is not calibrated yet.
  bool knows(int profile, Cost c) const {
    const auto i = index(profile, c);
    return given_.empty() || (i < given_.size() && given_[i] != 0);
  }
  /// The profile's number; adds it with prior values if it is new.
  int profile(const std::string& name);
  /// The profile's number, or -1.
  int find_profile(const std::string& name) const;
  const std::vector<std::string>& profiles() const { return profiles_; }
  /// While `used` is set, every read through `get` marks its index there: how the analytic solver
  /// learns which parameters a layout depends on. The vector grows with the profiles.
  void track(std::vector<char>* used) { used_ = used; }
  /// Full parameter name at an index.
  std::string name(std::size_t index) const;
  const ParameterInfo& info(std::size_t index) const;
  /// Index of a full name, adding its profile if new; nothing when the name is not in the tables.
  std::optional<std::size_t> find(std::string_view full_name);

 private:
  double read(std::size_t i) const {
    if (used_) {
      if (used_->size() < values_.size()) used_->resize(values_.size());  // a new profile
      (*used_)[i] = 1;
    }
    return values_[i];
  }

  std::vector<char>* used_ = nullptr;
  std::vector<double> values_;
  std::vector<char> given_;  ///< by a calibrated platform; empty without one
  std::vector<std::string> profiles_;
};

}  // namespace qpcast
