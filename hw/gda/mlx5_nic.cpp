#include "hw/gda/mlx5_nic.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "hw/nic/device_error.hpp"
#include "hw/nic/mlx5/errors.hpp"

namespace qpcast::hw {

std::string Mlx5GpuNic::why_no_doorbell() const {
  try {
    const mlx5::DoorbellPage page{calls_, true};
    return {};
  } catch (const DeviceError& error) {
    return error.what();
  }
}

std::string Mlx5GpuNic::why_no_dc() const {
  return calls_.local_side().ethernet
             ? "mini-gda writes compact address vectors; over RoCE, DC needs the whole route"
             : "";
}

std::unique_ptr<gda::QueueServer> Mlx5GpuNic::serve(const GpuLayout& layout) {
  if (const auto why = why_no_dc(); layout.dc && !why.empty())
    throw DeviceError{calls_.name(), "open", EOPNOTSUPP, why};
  return std::make_unique<gda::Mlx5Server>(calls_, layout);
}

namespace gda {

mlx5::Registration Mlx5Server::register_gpu(void* address, std::size_t bytes) {
  mlx5::Registration registration;
  const int descriptor = calls_.export_dmabuf(address, bytes);
  if (descriptor >= 0) {
    registration = calls_.register_region_dmabuf(descriptor, address, bytes);
    ::close(descriptor);  // the registration holds its own reference
  }
  return registration.handle ? registration : calls_.register_region(address, bytes);
}

std::uint32_t Mlx5Server::register_memory(void* address, std::size_t bytes) {
  const auto registration =
      in_gpu_memory() ? register_gpu(address, bytes) : calls_.register_region(address, bytes);
  if (!registration.handle)
    throw DeviceError{
        calls_.name(), "ibv_reg_mr", errno,
        in_gpu_memory() ? mlx5::no_gpu_registration
                        : fmt::format("{} B of host memory; is 'ulimit -l' large enough?", bytes)};
  regions_.push_back(registration.handle);
  // A device's lkey and rkey of one region are the same number.
  if (registration.lkey != registration.rkey)
    throw DeviceError{calls_.name(), "ibv_reg_mr", EIO, "lkey and rkey differ; no mlx5 device?"};
  return registration.rkey;
}

std::uint32_t Mlx5Server::attach(emulated::QueueMemory& memory, std::uint64_t access_key) {
  if (layout_.dc && !target_) target_ = std::make_unique<mlx5::DcTarget>(calls_, access_key);
  const mlx5::QueuePairOptions options{memory.depth, layout_.queue_memory, !layout_.assisted,
                                       mlx5::Completions::collapsed,
                                       layout_.dc ? Transport::dc : Transport::rc};
  auto opened = std::make_unique<mlx5::QueuePair>(calls_, options);
  const auto view = opened->view();
  pairs_[view.qpn] = std::move(opened);
  memory.send_queue = view.send_queue;
  memory.depth = 1U << view.log_depth;
  memory.record = view.qp_record;
  memory.doorbell = static_cast<const std::uint64_t*>(view.doorbell);
  memory.completions.entries = reinterpret_cast<wqe::CompletionEntry*>(view.completion_queue);
  return view.qpn;
}

void Mlx5Server::connect(std::uint32_t number, std::uint32_t peer) {
  auto& pair = *pairs_.at(number);
  if (layout_.dc)
    pair.activate();
  else
    pair.connect(pairs_.at(peer)->address());
}

wqe::CompactVector Mlx5Server::route_to(std::uint32_t /*number*/, std::uint64_t access_key) {
  if (!target_) return {};
  return {access_key, target_->number(), target_->lid(), 0, 0};
}

std::optional<emulated::Counters> Mlx5Server::stop() {
  release();
  return std::nullopt;  // the adapter does not count; every completion was waited for
}

std::string Mlx5Server::describe(wqe::Syndrome syndrome, std::uint8_t vendor) const {
  return mlx5::describe(syndrome, vendor);
}

void Mlx5Server::release() {
  pairs_.clear();
  target_.reset();
  for (auto* const region : regions_) calls_.deregister_region(region);
  regions_.clear();
}

}  // namespace gda
}  // namespace qpcast::hw
