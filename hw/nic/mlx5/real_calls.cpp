#include "hw/nic/mlx5/real_calls.hpp"

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <utility>

#include "hw/nic/device_error.hpp"
#include "hw/nic/verbs/device_facts.hpp"
#include "hw/nic/verbs/errors.hpp"
#include "hw/nic/verbs/handles.hpp"

namespace qpcast::hw::mlx5 {

namespace {

constexpr std::size_t page = 4096;

struct ListDeleter {
  void operator()(ibv_device** list) const noexcept { ibv_free_device_list(list); }
};
struct AhDeleter {
  void operator()(ibv_ah* ah) const noexcept { ibv_destroy_ah(ah); }
};
using Ah = std::unique_ptr<ibv_ah, AhDeleter>;
using verbs::Context;
using verbs::Pd;

/// What a peer may do to registered payload, and the NIC for us.
constexpr int payload_access =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

Context open_with_devx(const std::string& wanted) {
  int count = 0;
  std::string others;
  const std::unique_ptr<ibv_device* [], ListDeleter> list { ibv_get_device_list(&count) };
  for (int i = 0; list && i < count; ++i) {
    auto* const device = list[static_cast<std::size_t>(i)];
    const std::string name = ibv_get_device_name(device);
    if (!mlx5dv_is_supported(device) || (!wanted.empty() && name != wanted)) {
      others += " " + name + (mlx5dv_is_supported(device) ? "" : " (no mlx5)");
      continue;
    }
    mlx5dv_context_attr attributes{};
    attributes.flags = MLX5DV_CONTEXT_FLAGS_DEVX;
    Context context{mlx5dv_open_device(device, &attributes)};
    if (!context)
      throw DeviceError{name, "mlx5dv_open_device", errno,
                        "DEVX needs CAP_NET_RAW and a driver that offers it"};
    return context;
  }
  throw DeviceError{wanted.empty() ? "mlx5" : wanted, "ibv_get_device_list", 0,
                    others.empty()
                        ? "this machine has no RDMA device; is the mlx5_ib module loaded, and "
                          "/dev/infiniband in this container?"
                        : "no such ConnectX; there are:" + others +
                              ". --nic verbs takes a device that is no mlx5"};
}

class RealCalls final : public Calls {
 public:
  RealCalls(const DeviceOptions& options, std::unique_ptr<GpuMemory> gpu)
      : options_{options}, gpu_{std::move(gpu)}, context_{open_with_devx(options.device)} {
    name_ = ibv_get_device_name(context_->device);
    pd_.reset(ibv_alloc_pd(context_.get()));
    if (!pd_) throw DeviceError{name_, "ibv_alloc_pd", errno, "out of protection domains?"};
    const int code =
        ibv_query_port(context_.get(), static_cast<std::uint8_t>(options.port), &port_);
    if (code != 0) throw DeviceError{name_, "ibv_query_port", code, "is the port number right?"};
    if (port_.state != IBV_PORT_ACTIVE)
      throw DeviceError{
          name_, "ibv_query_port", 0,
          std::string{"the port is "} + ibv_port_state_str(port_.state) + "; bring the link up"};
    if (options_.gid_index < 0)
      options_.gid_index = verbs::choose_gid(*context_, options_.port, port_);
    verbs::never_wait_for_events(*context_, name_);
  }

  std::string name() const override { return name_; }
  std::map<std::string, std::string> facts() const override {
    return verbs::facts_of(*context_, name_, port_, options_.port, options_.gid_index);
  }
  std::map<std::string, std::uint64_t> error_counters() const override {
    return verbs::error_counters(name_, options_.port);
  }
  void check_events() override { verbs::check_events(*context_, name_); }

  LocalSide local_side() override {
    LocalSide local;
    mlx5dv_pd inner{};
    mlx5dv_obj object{};
    object.pd = {pd_.get(), &inner};
    if (const int code = mlx5dv_init_obj(&object, MLX5DV_OBJ_PD); code != 0)
      throw DeviceError{name_, "mlx5dv_init_obj", code, "do libmlx5 and the kernel match?"};
    local.pd = inner.pdn;
    if (mlx5dv_devx_query_eqn(context_.get(), 0, &local.eqn) != 0)
      throw DeviceError{name_, "mlx5dv_devx_query_eqn", errno, "is DEVX permitted (CAP_NET_RAW)?"};
    local.port = static_cast<std::uint8_t>(options_.port);
    local.gid_index = static_cast<std::uint8_t>(options_.gid_index);
    local.ethernet = port_.link_layer == IBV_LINK_LAYER_ETHERNET;
    local.mtu_code = static_cast<std::uint16_t>(port_.active_mtu);
    local.lid = port_.lid;
    local.packet_number = std::random_device{}() & 0xffffff;
    ibv_gid gid{};
    if (ibv_query_gid(context_.get(), local.port, options_.gid_index, &gid) != 0)
      throw DeviceError{name_, "ibv_query_gid", errno, "no such GID index (-x)"};
    std::memcpy(local.gid.data(), gid.raw, local.gid.size());
    return local;
  }

  Uar allocate_uar() override {
    auto* const uar = mlx5dv_devx_alloc_uar(context_.get(), MLX5DV_UAR_ALLOC_TYPE_BF);
    return uar ? Uar{uar, uar->page_id, uar->reg_addr} : Uar{};
  }
  void free_uar(Handle uar) override { mlx5dv_devx_free_uar(static_cast<mlx5dv_devx_uar*>(uar)); }

  Umem register_memory(void* address, std::size_t bytes) override {
    return wrap(mlx5dv_devx_umem_reg(context_.get(), address, bytes, IBV_ACCESS_LOCAL_WRITE));
  }
  Umem register_dmabuf(int descriptor, std::size_t bytes) override {
    mlx5dv_devx_umem_in in{};
    in.size = bytes;
    in.access = IBV_ACCESS_LOCAL_WRITE;
    in.pgsz_bitmap = page;
    in.comp_mask = MLX5DV_UMEM_MASK_DMABUF;
    in.dmabuf_fd = descriptor;
    return wrap(mlx5dv_devx_umem_reg_ex(context_.get(), &in));
  }
  void deregister(Handle umem) override {
    mlx5dv_devx_umem_dereg(static_cast<mlx5dv_devx_umem*>(umem));
  }

  Registration register_region(void* address, std::size_t bytes) override {
    return wrap(ibv_reg_mr(pd_.get(), address, bytes, payload_access));
  }
  Registration register_region_dmabuf(int descriptor, void* address, std::size_t bytes) override {
    return wrap(ibv_reg_dmabuf_mr(pd_.get(), 0, bytes, reinterpret_cast<std::uintptr_t>(address),
                                  descriptor, payload_access));
  }
  void deregister_region(Handle region) override { ibv_dereg_mr(static_cast<ibv_mr*>(region)); }

  ReceiveQueue create_receive_queue() override {
    ibv_srq_init_attr attributes{};
    attributes.attr = {1, 1, 0};
    std::unique_ptr<ibv_srq, decltype(&ibv_destroy_srq)> srq{ibv_create_srq(pd_.get(), &attributes),
                                                             &ibv_destroy_srq};
    if (!srq) return {};
    mlx5dv_srq inner{};
    inner.comp_mask = MLX5DV_SRQ_MASK_SRQN;
    mlx5dv_obj object{};
    object.srq = {srq.get(), &inner};
    if (const int code = mlx5dv_init_obj(&object, MLX5DV_OBJ_SRQ); code != 0) {
      errno = code;
      return {};
    }
    return {srq.release(), inner.srqn};
  }
  void destroy_receive_queue(Handle queue) override {
    ibv_destroy_srq(static_cast<ibv_srq*>(queue));
  }

  Handle create(std::span<const std::uint8_t> command, std::span<std::uint8_t> answer) override {
    return mlx5dv_devx_obj_create(context_.get(), command.data(), command.size(), answer.data(),
                                  answer.size());
  }
  int modify(Handle object, std::span<const std::uint8_t> command,
             std::span<std::uint8_t> answer) override {
    return mlx5dv_devx_obj_modify(static_cast<mlx5dv_devx_obj*>(object), command.data(),
                                  command.size(), answer.data(), answer.size());
  }
  int query(Handle object, std::span<const std::uint8_t> command,
            std::span<std::uint8_t> answer) override {
    return mlx5dv_devx_obj_query(static_cast<mlx5dv_devx_obj*>(object), command.data(),
                                 command.size(), answer.data(), answer.size());
  }
  void destroy(Handle object) override {
    mlx5dv_devx_obj_destroy(static_cast<mlx5dv_devx_obj*>(object));
  }

  int resolve_mac(const Address& peer, Mac& mac) override {
    ibv_ah_attr attributes{};
    attributes.is_global = 1;
    attributes.port_num = static_cast<std::uint8_t>(options_.port);
    attributes.grh.sgid_index = static_cast<std::uint8_t>(options_.gid_index);
    attributes.grh.hop_limit = 64;
    std::memcpy(attributes.grh.dgid.raw, peer.gid.data(), peer.gid.size());
    const Ah ah{ibv_create_ah(pd_.get(), &attributes)};
    if (!ah) return -1;
    mlx5dv_ah inner{};
    mlx5dv_obj object{};
    object.ah = {ah.get(), &inner};
    if (const int code = mlx5dv_init_obj(&object, MLX5DV_OBJ_AH); code != 0) {
      errno = code;
      return -1;
    }
    std::memcpy(mac.data(), inner.av->rmac, mac.size());
    return 0;
  }

  void* allocate_gpu(std::size_t bytes) override { return gpu_->allocate(bytes); }
  void free_gpu(void* memory) override { gpu_->release(memory); }
  int fill_gpu(void* memory, std::uint8_t value, std::size_t bytes) override {
    return gpu_->fill(memory, value, bytes);
  }
  int export_dmabuf(void* memory, std::size_t bytes) override {
    return gpu_->export_dmabuf(memory, bytes);
  }
  void* map_io_page(void* io) override { return gpu_->map(io, page, true); }
  void unmap_io_page(void* io) override { gpu_->unmap(io); }
  void* map_host(void* memory, std::size_t bytes) override {
    return gpu_->map(memory, bytes, false);
  }
  void unmap_host(void* memory) override { gpu_->unmap(memory); }

 private:
  static Umem wrap(mlx5dv_devx_umem* umem) { return umem ? Umem{umem, umem->umem_id} : Umem{}; }
  static Registration wrap(ibv_mr* mr) {
    return mr ? Registration{mr, mr->lkey, mr->rkey} : Registration{};
  }

  DeviceOptions options_;
  std::unique_ptr<GpuMemory> gpu_;
  std::string name_;
  Context context_;
  Pd pd_;
  ibv_port_attr port_{};
};

}  // namespace

std::shared_ptr<Calls> open_device(const DeviceOptions& options, std::unique_ptr<GpuMemory> gpu) {
  return std::make_shared<RealCalls>(options, std::move(gpu));
}

}  // namespace qpcast::hw::mlx5
