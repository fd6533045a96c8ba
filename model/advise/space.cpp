#include "model/advise/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/error.hpp"

namespace qpcast::advise {

namespace {

/// Named in messages: what is wrong came from the request.
constexpr const char* source = "request";

bool is_queue(Key key) { return key == Key::qps || key == Key::contexts; }

std::vector<double> counts_to(double most) {
  std::vector<double> values(static_cast<std::size_t>(most));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

/// A lone operation has one thread; everything else depends on how many submit.
bool lone(const Request& r) {
  return r.goal == Goal::latency && r.fixed.number(Key::background_ctas, 0) == 0;
}

bool launch_known(const Request& r) { return r.fixed.has(Key::threads) || r.threads > 0; }

}  // namespace

void require_launch(const Request& request) {
  if (!lone(request) && !launch_known(request))
    throw InputError{source, "threads",
                     "say who submits: threads=N as launched now, or --threads N available"};
}

double Axis::distance(std::size_t index) const {
  const double value = values[index];
  if (is_choice()) return value == base ? 0 : 1;
  const double shift = values.front() <= 0 || base <= 0 ? 1 : 0;
  return std::abs(std::log2((value + shift) / (base + shift)));
}

std::string Axis::spelling(double value) const {
  Layout one;
  one.set(key, value);
  auto text = one.text(key);
  if (!setting) return text;
  for (const auto& [spelling, means] : setting->values)
    if (means == text) return spelling;
  return text;
}

Space::Space(const Request& request, const LibraryPreset& preset, const PlatformFacts& facts)
    : request_{request}, preset_{preset}, peers_{std::max(1.0, request.pes - 1)} {
  request_.fixed.library = preset.name;
  add_settings();
  add_launch(facts);
  for (const auto& [key, values] : request_.limits)
    if (std::none_of(axes_.begin(), axes_.end(), [k = key](const Axis& a) { return a.key == k; }))
      throw InputError{
          source, std::string{field(key).name},
          fmt::format("{} has no such setting to search; give one value to fix it", preset.name)};
}

void Space::add(Axis axis) {
  if (const auto limit = request_.limits.find(axis.key); limit != request_.limits.end())
    axis.values = limit->second;
  std::sort(axis.values.begin(), axis.values.end());
  axis.values.erase(std::unique(axis.values.begin(), axis.values.end()), axis.values.end());
  for (std::size_t i = 0; i < axis.values.size(); ++i)
    if (axis.distance(i) < axis.distance(axis.nearest_)) axis.nearest_ = i;
  if (axes_.size() == max_axes)
    throw InputError{source, preset_.name,
                     fmt::format("more than {} settings to search", max_axes)};
  axes_.push_back(std::move(axis));
}

void Space::add_settings() {
  const bool probe = request_.fixed.number(Key::background_ctas, 0) > 0;
  const bool isolate = request_.constraints.isolate;
  if (isolate && !probe)
    throw InputError{source, "--isolate", "no bulk traffic to isolate from; set background_ctas"};
  const auto own = static_cast<double>(Queue::private_queue);
  bool can_isolate = request_.fixed.number(Key::queue, -1) == own;
  for (const auto& s : preset_.settings) {
    const bool pinned = request_.fixed.has(s.key);
    if (s.proposals.empty() || (pinned && !s.per_peer)) continue;
    if (s.key == Key::queue && !probe) continue;
    Axis axis{s.key, s.name, s.how, s.meaning, &s, s.proposals, 0, s.per_peer};
    axis.base = s.fallback.value_or(preset_.defaults.number(s.key, 0));
    if (pinned) {  // still an axis, of one value: peers multiply it
      axis.base = request_.fixed.number(s.key, 0);
      axis.values = {axis.base};
      request_.fixed.clear(s.key);
    }
    if (s.key == Key::queue && isolate) {
      can_isolate = std::count(s.proposals.begin(), s.proposals.end(), own) > 0;
      axis.values = {own};
    }
    add(std::move(axis));
  }
  if (isolate && !can_isolate)
    throw InputError{source, "--isolate",
                     fmt::format("{} has no queue of its own to give a probe", preset_.name)};
}

void Space::add_launch(const PlatformFacts& facts) {
  auto& fixed = request_.fixed;
  const auto submitter = inherited(fixed).choice(Key::submitter, Submitter::gpu);
  if (submitter != Submitter::host) {
    require_launch(request_);
    if (!launch_known(request_)) fixed.set(Key::threads, 1);
  }
  if (submitter == Submitter::proxy || submitter == Submitter::host) {
    if (request_.threads > 0 && !fixed.has(Key::threads))
      fixed.set(Key::threads, request_.threads);  // enough to keep the workers busy; not searched
    return;
  }
  if (request_.threads > 0) {
    Axis axis{Key::threads, "threads", "launch", "submitting GPU threads", nullptr, {}, 0, false};
    axis.values = counts_to(request_.threads);
    axis.base = fixed.number(Key::threads, request_.threads);
    fixed.clear(Key::threads);
    add(std::move(axis));
  }
  if (request_.sms > 0) {
    Axis axis{Key::sms, "SMs", "launch", "streaming multiprocessors of those",
              nullptr,  {},    0,        false};
    axis.values = counts_to(request_.sms);
    axis.base = fixed.number(Key::sms, request_.sms);
    fixed.clear(Key::sms);
    add(std::move(axis));
  } else if (!fixed.has(Key::sms)) {
    fixed.set(Key::sms, static_cast<double>(facts.sms));
  }
}

std::uint64_t Space::size() const {
  std::uint64_t n = 1;
  for (const auto& a : axes_) n *= a.values.size();
  return n;
}

double Space::distance(const Point& point) const {
  double sum = 0;
  for (std::size_t a = 0; a < axes_.size(); ++a) sum += axes_[a].distance(point.at(a));
  return sum;
}

template <class ValueOf>
Layout Space::layout_of(ValueOf value_of) const {
  auto layout = request_.fixed;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const auto& axis = axes_[a];
    layout.set(axis.key, value_of(a) * (axis.per_peer ? peers_ : 1));
  }
  complete(layout);
  return layout;
}

Layout Space::layout(const Point& point) const {
  return layout_of([&](std::size_t a) { return axes_[a].values[point.at(a)]; });
}

Layout Space::base() const {
  return layout_of([&](std::size_t a) { return axes_[a].base; });
}

/// What follows from the rest: SMs that have a thread, and the connections of many peers.
void Space::complete(Layout& layout) const {
  if (layout.has(Key::sms))
    layout.set(Key::sms, std::min(layout.number(Key::sms, 1), layout.number(Key::threads, 1)));
  if (request_.pes <= 2) return;
  layout.set(Key::pes, request_.pes);
  if (!layout.has(Key::role)) layout.set(Key::role, Role::all_to_all);
  if (!request_.fixed.has(Key::active_qps)) layout.set(Key::active_qps, queue_pairs(layout));
}

/// The layout over the preset's defaults, for the keys that this file asks about.
Layout Space::inherited(const Layout& layout) const {
  auto all = preset_.defaults;
  for (const Key key :
       {Key::submitter, Key::workers, Key::rings, Key::qps, Key::contexts, Key::queue})
    if (layout.has(key)) all.set(key, layout.number(key, 0));
  return all;
}

double Space::queue_pairs(const Layout& layout) const {
  const auto all = inherited(layout);
  double per_peer = all.number(Key::contexts, all.number(Key::qps, 0));
  const bool scaled = std::any_of(axes_.begin(), axes_.end(),
                                  [](const Axis& a) { return is_queue(a.key) && a.per_peer; });
  if (scaled) return per_peer;
  if (per_peer == 0) per_peer = std::max(1.0, cores(layout));
  return per_peer * peers_;
}

double Space::cores(const Layout& layout) const {
  const auto all = inherited(layout);
  const auto submitter = all.choice(Key::submitter, Submitter::gpu);
  return submitter == Submitter::gpu ? 0 : all.number(Key::workers, 1);
}

std::string Space::refused(const Layout& layout) const {
  const auto& c = request_.constraints;
  if (c.queue_pairs && queue_pairs(layout) > *c.queue_pairs)
    return fmt::format("{} queue pairs, above {}", queue_pairs(layout), *c.queue_pairs);
  if (c.cores && cores(layout) > *c.cores)
    return fmt::format("{} CPU workers, above {}", cores(layout), *c.cores);
  const auto all = inherited(layout);
  const double workers = all.number(Key::workers, 1);
  if (all.number(Key::rings, workers) < workers)
    return fmt::format("{} workers for {} rings: a ring has one worker", workers,
                       all.number(Key::rings, 1));
  const bool own = layout.choice(Key::queue, Queue::shared) == Queue::private_queue;
  if (c.isolate && !own) return "the probe shares its queue";
  if (!own) return {};
  const Key divided = all.has(Key::contexts) ? Key::contexts
                      : all.has(Key::rings)  ? Key::rings
                                             : Key::workers;
  if (all.number(divided, 1) < 2)
    return fmt::format("one of {} cannot be the probe's own: there is one", field(divided).name);
  return {};
}

}  // namespace qpcast::advise
