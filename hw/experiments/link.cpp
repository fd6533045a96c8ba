#include "hw/experiments/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "hw/experiments/host_submitter.hpp"
#include "hw/experiments/proxy_submitter.hpp"
#include "model/error.hpp"

namespace qpcast::hw {

namespace {

/// Payload slots share this much memory, so that validation stays quick.
constexpr std::uint64_t region_budget = std::uint64_t{256} << 10;

std::uint32_t count(const Layout& layout, Key key, double fallback) {
  return static_cast<std::uint32_t>(layout.number(key, fallback));
}

bool through_proxy(const Layout& layout) {
  switch (layout.choice(Key::submitter, Submitter::gpu)) {
    case Submitter::proxy:
      return true;
    case Submitter::host:
      return false;
    default:
      throw InputError{layout.to_string(), "submitter", "a CPU submits as 'proxy' or 'host'"};
  }
}

std::uint32_t queue_pairs(const Layout& layout) {
  const double workers = layout.number(Key::workers, 1);
  return count(layout, Key::qps, layout.number(Key::active_qps, workers));
}

LinkSpec spec_of(const Layout& layout, std::uint64_t window, std::uint64_t region_bytes) {
  LinkSpec spec;
  spec.proxy = through_proxy(layout);
  spec.qps = queue_pairs(layout);
  const auto batch = count(layout, Key::batch, 1);
  // A posting thread's queue pair holds its share of the window. Behind a proxy the rings do, and
  // the queue pair has the depth that perftest gives it.
  constexpr std::uint64_t proxy_depth = 128;
  auto share = (window + spec.qps - 1) / spec.qps;
  if (spec.proxy) share = std::min(share, proxy_depth);
  spec.depth = static_cast<std::uint32_t>(std::max<std::uint64_t>({16, share, 2UL * batch}));
  if (layout.number(Key::inline_data, 0) == 1) spec.largest_inline = count(layout, Key::payload, 8);
  spec.region_bytes = region_bytes;
  return spec;
}

}  // namespace

Link::Link(const Bench& bench, const Layout& layout)
    : bench_{bench},
      payload_{count(layout, Key::payload, 8)},
      window_{static_cast<std::uint64_t>(layout.number(Key::window, 1) *
                                         layout.number(Key::threads, 1))},
      stride_{std::max<std::uint64_t>(8, (payload_ + 7) / 8 * 8)},
      slots_{std::clamp<std::uint64_t>(region_budget / stride_, 2, 256)} {
  const auto spec = spec_of(layout, window_, payload_start + payload_bytes());
  connect(spec);
  make_submitter(layout, spec);
}

std::vector<RingView> Link::rings() const {
  std::vector<RingView> views;
  for (std::size_t r = 0; proxy_ && r < proxy_->rings(); ++r) views.push_back(proxy_->ring(r));
  return views;
}

Link::~Link() {
  submitter_.reset();
  proxy_.reset();
  channels_.clear();
  try {
    bench_.peer.close();
  } catch (const std::exception&) {
    // The peer is gone; what ended the point has already been said.
  }
}

void Link::connect(const LinkSpec& spec) {
  region_ = bench_.nic.allocate(spec.region_bytes);
  std::vector<Address> ours;
  for (std::uint32_t q = 0; q < spec.qps; ++q) {
    channels_.push_back(bench_.nic.open(*region_, {spec.depth, spec.largest_inline}));
    ours.push_back(channels_.back()->address());
  }
  const auto theirs = bench_.peer.open(spec, ours);
  if (theirs.size() != ours.size())
    throw InputError{"peer", "qps",
                     fmt::format("{} queue pairs for our {}", theirs.size(), ours.size())};
  for (std::size_t q = 0; q < channels_.size(); ++q) channels_[q]->connect(theirs[q]);
}

void Link::make_submitter(const Layout& layout, const LinkSpec& spec) {
  std::vector<Channel*> pointers;
  for (auto& channel : channels_) pointers.push_back(channel.get());
  if (!spec.proxy) {
    HostOptions options{
        .batch = count(layout, Key::batch, 1),
        .depth = spec.depth,
        .inline_up_to = spec.largest_inline,
        .visit_all = layout.choice(Key::completion, Completion::per_qp) != Completion::per_qp,
        .patience = bench_.patience,
        .interrupted = bench_.interrupted};
    submitter_ = std::make_unique<HostSubmitter>(pointers, options);
    return;
  }
  ProxyOptions options;
  options.workers = count(layout, Key::workers, 1);
  options.rings = count(layout, Key::rings, spec.qps);
  options.ring_capacity = std::bit_ceil(std::max<std::uint64_t>(64, window_));
  options.worker = {.batch = count(layout, Key::batch, 1),
                    .depth = spec.depth,
                    .inline_up_to = spec.largest_inline};
  options.ring_memory = bench_.ring_memory;
  options.shared_refcount = layout.number(Key::shared_refcount, 0) == 1;
  options.cpus = bench_.cpus;
  options.patience = bench_.patience;
  options.interrupted = bench_.interrupted;
  proxy_ = std::make_unique<Proxy>(pointers, options);
  if (layout.choice(Key::handoff, Handoff::tuned) == Handoff::tuned)
    submitter_ = std::make_unique<ProxySubmitter<TunedProducer>>(*proxy_);
  else
    submitter_ = std::make_unique<ProxySubmitter<BaselineProducer>>(*proxy_);
}

}  // namespace qpcast::hw
