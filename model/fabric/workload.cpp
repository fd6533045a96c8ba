#include "model/fabric/workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "model/error.hpp"
#include "model/simgrid/random.hpp"

namespace qpcast {

namespace {

constexpr std::array names{"all-to-all", "incast", "moe-dispatch", "moe-combine"};

/// Draws experts by popularity: uniform, or Zipf over a random order of the experts.
class Router {
 public:
  Router(const WorkloadSpec& w, simgrid::Random& random)
      : order_(w.experts), cumulative_(w.experts) {
    std::iota(order_.begin(), order_.end(), 0U);
    for (auto i = w.experts; i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
    const double exponent = w.routing == Routing::zipf ? w.zipf : 0;
    double sum = 0;
    for (std::uint32_t k = 0; k < w.experts; ++k)
      cumulative_[k] = sum += std::pow(k + 1.0, -exponent);
  }
  /// `chosen.size()` different experts. Few of many are drawn again when they repeat; else, or
  /// when they repeat too often, each expert left gets an exponential arrival by popularity and the
  /// first ones win (Efraimidis and Spirakis 2006): both give the same law, each where it is the
  /// faster.
  void draw(simgrid::Random& random, std::vector<std::uint32_t>& chosen) const {
    constexpr std::size_t many = 16;
    std::size_t drawn = 0;
    if (chosen.size() * many <= order_.size())
      for (auto tries = many * chosen.size(); tries > 0 && drawn < chosen.size(); --tries) {
        const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(drawn);
        *end = draw_one(random);
        if (std::find(chosen.begin(), end, *end) == end) ++drawn;
      }
    first_arrivals(random, chosen, drawn);
  }

 private:
  /// All but the first `drawn`, which are there already.
  void first_arrivals(simgrid::Random& random, std::vector<std::uint32_t>& chosen,
                      std::size_t drawn) const {
    if (drawn == chosen.size()) return;
    const auto rest = chosen.begin() + static_cast<std::ptrdiff_t>(drawn);
    std::vector<bool> taken(order_.size());
    for (auto it = chosen.begin(); it != rest; ++it) taken[*it] = true;
    std::vector<std::pair<double, std::uint32_t>> arrivals;
    double before = 0;
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const double arrival = random.exponential() / (cumulative_[k] - before);
      if (!taken[order_[k]]) arrivals.emplace_back(arrival, order_[k]);
      before = cumulative_[k];
    }
    const auto last = arrivals.begin() + (chosen.end() - rest);
    std::partial_sort(arrivals.begin(), last, arrivals.end());
    std::transform(arrivals.begin(), last, rest, [](const auto& a) { return a.second; });
  }
  std::uint32_t draw_one(simgrid::Random& random) const {
    const double at = random.uniform() * cumulative_.back();
    const auto k = std::upper_bound(cumulative_.begin(), cumulative_.end(), at);
    return order_[static_cast<std::size_t>(k - cumulative_.begin())];
  }

  std::vector<std::uint32_t> order_;
  std::vector<double> cumulative_;
};

void require(bool fine, const std::string& source, const char* key, const std::string& advice) {
  if (!fine) throw InputError{source, key, advice};
}

void check_moe(const WorkloadSpec& w, const std::string& source) {
  require(w.tokens > 0, source, "tokens", "0: a rank without tokens sends nothing; at least 1");
  require(w.hidden > 0, source, "hidden", "0: a token of no elements; at least 1");
  require(w.experts > 0 && w.experts % w.ranks == 0, source, "experts",
          fmt::format("{} experts do not spread evenly over ranks={}; give a multiple", w.experts,
                      w.ranks));
  require(w.topk > 0 && w.topk <= w.experts, source, "topk",
          fmt::format("{}: a token goes to 1..{} different experts", w.topk, w.experts));
}

}  // namespace

std::string pattern_name(Pattern pattern) { return names.at(static_cast<std::size_t>(pattern)); }

std::optional<Pattern> find_pattern(const std::string& name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names.at(i)) return static_cast<Pattern>(i);
  return std::nullopt;
}

std::string pattern_names() { return fmt::format("{}", fmt::join(names, ", ")); }

double bytes_of(Dtype type) {
  constexpr std::array sizes{1, 2, 2, 4};
  return sizes.at(static_cast<std::size_t>(type));
}

WorkloadSpec override_with(WorkloadSpec w, const Layout& layout) {
  const auto take = [&](Key key, std::uint32_t& value) {
    value = static_cast<std::uint32_t>(layout.number(key, value));
  };
  take(Key::ranks, w.ranks);
  take(Key::gpus_per_node, w.gpus_per_node);
  take(Key::qps, w.qps);
  take(Key::tokens, w.tokens);
  take(Key::hidden, w.hidden);
  take(Key::experts, w.experts);
  take(Key::topk, w.topk);
  take(Key::writes_per_visit, w.messages);
  return w;
}

void check(const WorkloadSpec& w, const std::string& source) {
  require(w.ranks >= 2, source, "ranks", fmt::format("{}: an exchange needs at least 2", w.ranks));
  require(w.gpus_per_node > 0 && w.ranks % w.gpus_per_node == 0, source, "ranks",
          fmt::format("{} does not fill nodes of gpus_per_node={}; give a multiple", w.ranks,
                      w.gpus_per_node));
  require(w.local_by_nic || w.gpus_per_node < w.ranks, source, "gpus_per_node",
          "all ranks share one node, so nothing crosses a NIC; use more ranks or local_by_nic");
  require(w.qps > 0, source, "qps", "0: a peer without a queue pair gets nothing; at least 1");
  require(w.messages > 0, source, "messages", "0: nothing to send; at least 1");
  require(w.receivers > 0 && w.receivers < w.ranks, source, "receivers",
          fmt::format("{}: an incast needs 1..{} receivers", w.receivers, w.ranks - 1));
  if (w.moe()) check_moe(w, source);
}

Bytes token_message(const WorkloadSpec& w) {
  const auto type = w.pattern == Pattern::moe_dispatch ? w.dispatch : w.combine;
  constexpr double scale = 4;
  const double scales = type == Dtype::fp8 && w.scale_block > 0
                            ? std::ceil(static_cast<double>(w.hidden) / w.scale_block) * scale
                            : 0;
  return Bytes{w.header + w.hidden * bytes_of(type) + scales};
}

TrafficPlan::TrafficPlan(const WorkloadSpec& workload, std::uint64_t seed) : w_{workload} {
  if (w_.moe()) route_tokens(seed);
}

void TrafficPlan::route_tokens(std::uint64_t seed) {
  simgrid::Random random{seed};
  const Router router{w_, random};
  counts_.assign(std::size_t{w_.ranks} * w_.experts, 0);
  std::vector<std::uint32_t> chosen(w_.topk);
  for (std::uint32_t rank = 0; rank < w_.ranks; ++rank)
    for (std::uint32_t token = 0; token < w_.tokens; ++token) {
      router.draw(random, chosen);
      for (const auto expert : chosen) ++counts_[std::size_t{rank} * w_.experts + expert];
    }
}

void TrafficPlan::moe_to_peer(std::uint32_t rank, std::uint32_t peer,
                              std::vector<QueueLoad>& out) const {
  const bool dispatch = w_.pattern == Pattern::moe_dispatch;
  const auto per_rank = w_.experts / w_.ranks;
  const auto queues = w_.mapping == QueueMapping::per_expert ? std::min(w_.qps, per_rank) : w_.qps;
  std::vector<std::uint32_t> load(queues);
  for (std::uint32_t e = 0; e < per_rank; ++e) {
    const auto n =
        dispatch ? tokens_for(rank, peer * per_rank + e) : tokens_for(peer, rank * per_rank + e);
    if (w_.mapping == QueueMapping::per_expert)
      load[e % queues] += n;
    else
      for (std::uint32_t m = 0; m < n; ++m) ++load[(e + m) % queues];
  }
  for (const auto n : load)
    if (n > 0) out.push_back({peer, n});
}

void TrafficPlan::to_peer(std::uint32_t rank, std::uint32_t peer,
                          std::vector<QueueLoad>& out) const {
  if (!by_nic(rank, peer)) return;
  if (w_.moe()) return moe_to_peer(rank, peer, out);
  if (w_.pattern == Pattern::incast && peer >= w_.receivers) return;
  out.insert(out.end(), w_.qps, {peer, w_.messages});
}

std::vector<QueueLoad> TrafficPlan::queues(std::uint32_t rank) const {
  std::vector<QueueLoad> out;
  if (w_.pattern == Pattern::incast && rank < w_.receivers) return out;
  for (std::uint32_t d = 0; d < w_.ranks; ++d)
    to_peer(rank, w_.rotated ? (rank + d) % w_.ranks : d, out);
  return out;
}

}  // namespace qpcast
