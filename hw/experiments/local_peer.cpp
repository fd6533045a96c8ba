#include "hw/experiments/local_peer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hw/experiments/host_submitter.hpp"
#include "hw/experiments/pattern.hpp"
#include "hw/experiments/proxy_submitter.hpp"
#include "hw/proxy/backoff.hpp"
#include "model/error.hpp"

namespace qpcast::hw {

namespace {

std::uint64_t& word(Region& region, std::uint64_t offset) {
  return *reinterpret_cast<std::uint64_t*>(region.bytes().data() + offset);
}

/// The answer to one ping: the peer's word, sent back by `submitter`.
void answer(RequestSubmitter& submitter, Region& region, std::uint64_t ping,
            std::uint64_t& answers) {
  store_word(region, ping_source, ping);
  submitter.submit(0, {ping_source, ping_target, sizeof(std::uint64_t), 0, RequestKind::write});
  submitter.flush(0);
  // The queue holds many answers; the completion of an old one makes room for the next.
  ++answers;
  if (answers % 8 == 0) submitter.wait(0, answers);
}

void answer_until(const std::stop_token& stop, RequestSubmitter& submitter, Region& region) {
  std::uint64_t last = 0;  // start_echo has zeroed the word; a ping may already be there
  std::uint64_t answers = 0;
  Backoff backoff;
  for (std::uint32_t idle = 1; !stop.stop_requested(); ++idle) {
    const auto ping = load_word(region, ping_target);
    if (ping != last) {
      last = ping;
      answer(submitter, region, ping, answers);
      backoff.reset();
    } else {
      backoff.pause();
      if (idle % 256 == 0) submitter.check();
    }
  }
}

}  // namespace

std::uint64_t load_word(Region& region, std::uint64_t offset) {
  return std::atomic_ref{word(region, offset)}.load(std::memory_order_acquire);
}

void store_word(Region& region, std::uint64_t offset, std::uint64_t value) {
  std::atomic_ref{word(region, offset)}.store(value, std::memory_order_release);
}

LocalPeer::~LocalPeer() { echo_ = {}; }

std::vector<Address> LocalPeer::open(const LinkSpec& spec, std::span<const Address> ours) {
  close();
  spec_ = spec;
  region_ = nic_.allocate(spec.region_bytes);
  std::vector<Address> addresses;
  for (const auto& address : ours) {
    channels_.push_back(nic_.open(*region_, {spec.depth, spec.largest_inline}));
    addresses.push_back(channels_.back()->address());
    channels_.back()->connect(address);
  }
  return addresses;
}

void LocalPeer::clear() {
  std::ranges::fill(region_->bytes().subspan(payload_start), std::byte{0});
}

std::optional<std::uint64_t> LocalPeer::check(std::uint64_t seed, const PayloadShape& shape) {
  const auto payload = region_->bytes().subspan(payload_start);
  if (shape.stride == 0 || shape.payload > shape.stride ||
      shape.slots > payload.size() / shape.stride)
    throw InputError{
        "peer", "payload",
        fmt::format("{} slots of {} B are beyond the region", shape.slots, shape.stride)};
  return first_difference(payload, seed, shape);
}

void LocalPeer::start_echo() {
  store_word(*region_, ping_target, 0);
  failure_ = nullptr;
  echo_ = std::jthread{[this](const std::stop_token& stop) {
    try {
      echo(stop);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }};
}

void LocalPeer::echo(const std::stop_token& stop) {
  Channel* const channel = channels_.front().get();
  if (spec_.proxy) {
    ProxyOptions options;
    options.worker.depth = spec_.depth;
    options.worker.inline_up_to = spec_.largest_inline;
    Proxy proxy{std::span{&channel, 1}, options};
    ProxySubmitter<TunedProducer> submitter{proxy};
    answer_until(stop, submitter, *region_);
  } else {
    HostOptions options;
    options.depth = spec_.depth;
    options.inline_up_to = spec_.largest_inline;
    HostSubmitter submitter{std::span{&channel, 1}, options};
    answer_until(stop, submitter, *region_);
  }
}

void LocalPeer::stop_echo() {
  echo_ = {};
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void LocalPeer::close() {
  echo_ = {};
  channels_.clear();
  region_.reset();
}

}  // namespace qpcast::hw
