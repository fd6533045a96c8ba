#include "model/setup.hpp"

#include <algorithm>
#include <cmath>

#include "model/error.hpp"

namespace qpcast {

namespace {

/// The layout's own value, else the preset's, else the fallback.
class Defaults {
 public:
  Defaults(const Layout& layout, const LibraryPreset* preset) : layout_{layout}, preset_{preset} {}

  bool has(Key key) const { return layout_.has(key) || (preset_ && preset_->defaults.has(key)); }
  double number(Key key, double fallback) const {
    const double inherited = preset_ ? preset_->defaults.number(key, fallback) : fallback;
    return layout_.number(key, inherited);
  }
  template <class E>
  E choice(Key key, E fallback) const {
    const E inherited = preset_ ? preset_->defaults.choice(key, fallback) : fallback;
    return layout_.choice(key, inherited);
  }

 private:
  const Layout& layout_;
  const LibraryPreset* preset_;
};

Submitter default_submitter(const Defaults& d) {
  const bool host_side = d.has(Key::workers) || d.has(Key::rings) || d.has(Key::handoff);
  return d.choice(Key::submitter, host_side ? Submitter::proxy : Submitter::gpu);
}

/// Connection sweeps and many-peer rows name no threads: enough of them to saturate the NIC.
bool saturating(const Defaults& d) { return !d.has(Key::threads) && d.has(Key::active_qps); }

void resolve_queues(const Defaults& d, Setup& s) {
  const double active = std::max(1.0, d.number(Key::active_qps, 1));
  const double fallback = saturating(d) ? active : 1;
  s.qps = d.number(Key::contexts, d.number(Key::qps, fallback));
  // A probe's own context is one of the configured ones, and carries no bulk traffic.
  if (s.background_ctas > 0 && s.gpu_builds() && s.queue != Queue::shared && s.qps > 1)
    s.qps = std::min(s.qps, s.background_ctas);
  s.configured_qps = s.qps;
  s.active_qps = d.has(Key::active_qps) ? active : s.qps;
  s.pes = d.number(Key::pes, 2);
  s.dci_pool = d.number(Key::dci_pool, 0);
}

void resolve_publication(const Defaults& d, const Layout& layout, Setup& s) {
  // One thread per queue pair needs no protocol, whatever the library would do with more.
  const bool alone = s.threads <= s.qps;
  const auto several = d.choice(Key::publication, Publication::thread_handoff);
  s.publication = alone && !layout.has(Key::publication) ? Publication::exclusive : several;
}

int profile_number(const std::string& name, ParameterValues& values) {
  return name == LibraryPreset::no_cost ? no_profile : values.profile(name);
}

/// No library is around a bare GPU transport: its calls cost what was measured of them, or nothing.
void leave_out_unknown(const ParameterValues& values, Setup& s) {
  if (!s.gpu_builds()) return;
  for (const auto cost : {Cost::issue, Cost::pointer_issue, Cost::complete, Cost::receive})
    if (auto& profile = s.profile.at(static_cast<std::size_t>(cost)); !values.knows(profile, cost))
      profile = no_profile;
}

void resolve_profiles(const Layout& layout, const LibraryPreset* preset, ParameterValues& values,
                      Setup& s) {
  const std::string fallback = s.gpu_builds()   ? bare_gpu_profile
                               : s.caller_posts ? bare_host_profile
                                                : bare_proxy_profile;
  s.profile.fill(values.profile(preset ? preset->profile : fallback));
  if (!preset) return leave_out_unknown(values, s);
  for (const auto& [cost, profile] : preset->profile_of)
    s.profile.at(static_cast<std::size_t>(cost)) = profile_number(profile, values);
  for (const auto& variant : preset->variants) {
    if (layout.number(variant.key, preset->defaults.number(variant.key, -1)) != variant.value)
      continue;
    for (const auto cost : variant.costs)
      s.profile.at(static_cast<std::size_t>(cost)) = profile_number(variant.profile, values);
  }
}

/// A posting CPU refills a queue pair by whole chains, and by half of its share of the window; a
/// chain is no longer than that share.
void refill(Setup& s) {
  const double share = std::max(1.0, std::floor(s.window * s.threads / s.qps));
  s.batch = std::min(s.batch, share);
  s.writes_per_visit = std::min(s.writes_per_visit, std::max(s.batch, share / 2));
  if (share < unlimited) s.window = s.qps * s.batch * std::floor(share / s.batch) / s.threads;
}

}  // namespace

Setup resolve(const Layout& layout, const LibraryPreset* preset, const PlatformFacts& facts,
              ParameterValues& values) {
  const Defaults d{layout, preset};
  Setup s;
  s.facts = &facts;
  s.submitter = default_submitter(d);
  s.background_ctas = d.number(Key::background_ctas, 0);
  s.queue = d.choice(Key::queue, s.background_ctas > 0 ? Queue::shared : Queue::private_queue);
  resolve_queues(d, s);
  s.one_call = s.gpu_builds() && preset == nullptr;
  s.caller_posts = s.submitter == Submitter::host && !d.has(Key::workers);
  s.saturating = saturating(d) && !s.caller_posts;
  s.threads = s.saturating ? 4096 : d.number(Key::threads, s.caller_posts ? 1 : s.qps);
  s.writes_per_visit = d.number(Key::writes_per_visit, s.caller_posts ? 64 : 32);
  // Behind a proxy, `threads` is the probe's; every background CTA brings a warp of its own, unless
  // the layout says how many descriptors are outstanding altogether.
  if (!s.gpu_builds() && !d.has(Key::window))
    s.threads = std::max(s.threads, 32 * s.background_ctas);
  s.sms = std::min(d.number(Key::sms, s.saturating ? facts.sms : 1), s.threads);
  s.batch = d.number(Key::batch, s.saturating ? std::min(32.0, s.writes_per_visit) : 1);
  s.payload = Bytes{d.number(Key::payload, 8)};
  const bool fits = s.payload.count() <= 32;
  s.inlined = d.number(Key::inline_data, fits ? 1 : 0) != 0;
  s.cpu_inlines = !s.gpu_builds() && d.number(Key::inline_data, 0) != 0;
  s.ordering = d.choice(Key::ordering, Ordering::gpu);
  s.completion = d.choice(Key::completion, Completion::per_qp);
  s.queue_memory = d.choice(Key::queue_memory, s.gpu_builds() ? Memory::gpu : Memory::host);
  s.transport = d.choice(Key::transport, Transport::rc);
  s.clock_mhz = d.number(Key::clock_mhz, facts.sm_clock_mhz);
  s.workers = d.number(Key::workers, 1);
  s.rings = d.number(Key::rings, s.workers);
  s.handoff = d.choice(Key::handoff, Handoff::baseline);
  s.host_state = d.choice(Key::host_state, HostState::uncontrolled);
  s.shared_refcount = d.number(Key::shared_refcount, 0) != 0;
  s.queue_depth = d.number(Key::queue_depth, 0);
  s.role = d.choice(Key::role, Role::send);
  const bool waits = d.has(Key::window) || d.number(Key::wait, 0) != 0;
  // A thread that batches builds one batch while the one before it is in flight. A CPU that posts
  // waits, and a proxy's batch is its worker's: the window stays the thread's own.
  const double least = s.batch > 1 && s.gpu_builds() ? 2 * s.batch : 1;
  if (waits) s.window = std::max(d.number(Key::window, 1), least);
  if (s.caller_posts) refill(s);
  resolve_publication(d, layout, s);
  resolve_profiles(layout, preset, values, s);
  return s;
}

}  // namespace qpcast
