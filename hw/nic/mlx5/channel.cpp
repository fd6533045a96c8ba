#include "hw/nic/mlx5/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "hw/nic/mlx5/errors.hpp"

namespace qpcast::hw::mlx5 {

namespace {

constexpr std::size_t page = 4096;

QueuePairOptions for_cpu(const std::string& device, const ChannelOptions& options) {
  return {direct::ring_blocks(device, options), Memory::host, false, Completions::ring,
          Transport::rc};
}

}  // namespace

Mlx5Region::Mlx5Region(std::shared_ptr<Calls> calls, std::size_t bytes)
    : calls_{std::move(calls)}, size_{(bytes + page - 1) / page * page} {
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page, size_)));
  if (!memory_) throw DeviceError{calls_->name(), "aligned_alloc", ENOMEM, "a smaller payload?"};
  std::fill_n(memory_.get(), size_, std::byte{0});
  registration_ = calls_->register_region(memory_.get(), size_);
  if (!registration_.handle)
    throw DeviceError{calls_->name(), "ibv_reg_mr", errno,
                      fmt::format("{} B; is 'ulimit -l' large enough?", size_)};
}

Mlx5Channel::Mlx5Channel(std::shared_ptr<Calls> calls, Mlx5Region& region,
                         const ChannelOptions& options)
    : calls_{std::move(calls)},
      region_{region},
      qp_{*calls_, for_cpu(calls_->name(), options)},
      queue_{direct(options)} {}

direct::DirectQueue Mlx5Channel::direct(const ChannelOptions& options) const {
  const auto view = qp_.view();
  return {calls_->name(),
          {view.send_queue, 1U << view.log_depth,
           reinterpret_cast<const wqe::CompletionEntry*>(view.completion_queue), view.log_depth,
           view.qp_record, view.cq_record, static_cast<std::uint64_t*>(view.doorbell), view.qpn},
          {region_.bytes(), region_.registration().lkey},
          options,
          describe};
}

Address Mlx5Channel::address() const {
  auto address = qp_.address();
  address.region_address = reinterpret_cast<std::uintptr_t>(region_.bytes().data());
  address.region_bytes = region_.bytes().size();
  address.region_key = region_.registration().rkey;
  return address;
}

void Mlx5Channel::connect(const Address& peer) {
  queue_.connect(peer);
  qp_.connect(peer);
}

void Mlx5Channel::post(std::span<const WorkRequest> chain) {
  if (!queue_.has_room(chain.size())) check_events();
  queue_.post(chain);
}

std::size_t Mlx5Channel::poll(std::span<Completed> completions) {
  const auto got = queue_.poll(completions);
  if (got > 0)
    idle_.busy();
  else if (idle_.due())
    check_events();
  return got;
}

void Mlx5Channel::check_events() {
  calls_->check_events();
  if (!qp_.in_error()) return;
  while (queue_.next_completion()) {
    // An error completion says more than the state, and is thrown.
  }
  throw TransportError{calls_->name(), fmt::format("queue pair {:#x}", queue_.number()), 0,
                       "it is in error, and no completion says why: the completion queue overran, "
                       "or the peer's requests were refused"};
}

}  // namespace qpcast::hw::mlx5
