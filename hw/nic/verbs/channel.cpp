#include "hw/nic/verbs/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>

#include "hw/nic/verbs/errors.hpp"

namespace qpcast::hw::verbs {

namespace {

constexpr std::size_t page = 4096;
/// 4.096 us * 2^14 = 67 ms per try, seven retries: a dead peer shows in half a second.
constexpr std::uint8_t acknowledge_timeout = 14;
constexpr std::uint8_t retries = 7;

unsigned flag_if(bool wanted, ibv_send_flags flag) {
  return wanted ? static_cast<unsigned>(flag) : 0U;
}

std::uint32_t random_packet_number() { return std::random_device{}() & 0xffffff; }

}  // namespace

void VerbsRegion::Free::operator()(std::byte* memory) const noexcept { std::free(memory); }

VerbsRegion::VerbsRegion(std::shared_ptr<Device> device, std::size_t bytes)
    : device_{std::move(device)}, size_{(bytes + page - 1) / page * page} {
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page, size_)));
  if (!memory_) throw DeviceError{device_->name, "aligned_alloc", ENOMEM, "a smaller payload?"};
  std::fill_n(memory_.get(), size_, std::byte{0});
  constexpr unsigned access =
      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
  mr_.reset(ibv_reg_mr(device_->pd.get(), memory_.get(), size_, access));
  if (!mr_)
    throw DeviceError{device_->name, "ibv_reg_mr", errno,
                      fmt::format("{} B; is 'ulimit -l' large enough?", size_)};
}

VerbsChannel::VerbsChannel(std::shared_ptr<Device> device, VerbsRegion& region,
                           const ChannelOptions& options)
    : device_{std::move(device)},
      region_{region},
      options_{options},
      packet_number_{random_packet_number()},
      requests_(options.depth),
      segments_(options.depth),
      completions_(std::min<std::size_t>(options.depth, 64)) {
  const int depth = static_cast<int>(options.depth);
  cq_.reset(ibv_create_cq(device_->context.get(), depth, nullptr, nullptr, 0));
  if (!cq_)
    throw DeviceError{device_->name, "ibv_create_cq", errno, fmt::format("{} entries", depth)};
  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = cq_.get();
  init.qp_type = IBV_QPT_RC;
  init.cap = {options.depth, 1, 1, 1, options.largest_inline};
  qp_.reset(ibv_create_qp(device_->pd.get(), &init));
  if (!qp_)
    throw DeviceError{device_->name, "ibv_create_qp", errno,
                      fmt::format("depth {} and {} B inline above the device's limits?",
                                  options.depth, options.largest_inline)};
  to_init();
}

Address VerbsChannel::address() const {
  Address address;
  address.qp_number = qp_->qp_num;
  address.packet_number = packet_number_;
  address.lid = device_->port.lid;
  address.mtu_code = static_cast<std::uint16_t>(device_->port.active_mtu);
  std::memcpy(address.gid.data(), device_->gid.raw, address.gid.size());
  address.region_address = reinterpret_cast<std::uintptr_t>(region_.registration().addr);
  address.region_bytes = region_.registration().length;
  address.region_key = region_.registration().rkey;
  return address;
}

void VerbsChannel::connect(const Address& peer) {
  peer_ = peer;
  to_ready_to_receive(peer);
  to_ready_to_send();
}

void VerbsChannel::to_init() {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = static_cast<std::uint8_t>(device_->port_number);
  attributes.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
  const int code = ibv_modify_qp(
      qp_.get(), &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  if (code != 0)
    throw DeviceError{device_->name, "ibv_modify_qp to INIT", code, "is the port number right?"};
}

void VerbsChannel::to_ready_to_receive(const Address& peer) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.path_mtu = static_cast<ibv_mtu>(
      std::min<std::uint16_t>(peer.mtu_code, static_cast<std::uint16_t>(device_->port.active_mtu)));
  attributes.dest_qp_num = peer.qp_number;
  attributes.rq_psn = peer.packet_number;
  attributes.max_dest_rd_atomic = 1;
  attributes.min_rnr_timer = 12;
  attributes.ah_attr.dlid = peer.lid;
  attributes.ah_attr.port_num = static_cast<std::uint8_t>(device_->port_number);
  if (device_->port.link_layer == IBV_LINK_LAYER_ETHERNET || peer.lid == 0) {
    attributes.ah_attr.is_global = 1;
    std::memcpy(attributes.ah_attr.grh.dgid.raw, peer.gid.data(), peer.gid.size());
    attributes.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(device_->gid_index);
    attributes.ah_attr.grh.hop_limit = 64;
  }
  const int code =
      ibv_modify_qp(qp_.get(), &attributes,
                    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  if (code != 0)
    throw DeviceError{device_->name, "ibv_modify_qp to RTR", code,
                      "do both ends use the same GID type (-x) and can they reach each other?"};
}

void VerbsChannel::to_ready_to_send() {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = packet_number_;
  attributes.timeout = acknowledge_timeout;
  attributes.retry_cnt = retries;
  attributes.rnr_retry = retries;
  attributes.max_rd_atomic = 1;
  const int code = ibv_modify_qp(qp_.get(), &attributes,
                                 IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                                     IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
  if (code != 0) throw DeviceError{device_->name, "ibv_modify_qp to RTS", code, ""};
}

void VerbsChannel::fill(std::size_t i, const WorkRequest& request) {
  auto& segment = segments_[i];
  segment = {reinterpret_cast<std::uintptr_t>(region_.registration().addr) + request.local,
             request.length, region_.registration().lkey};
  auto& work = requests_[i];
  work.wr_id = request.id;
  work.sg_list = &segment;
  work.num_sge = 1;
  work.send_flags =
      flag_if(request.signalled, IBV_SEND_SIGNALED) | flag_if(request.inline_data, IBV_SEND_INLINE);
  if (request.operation == Operation::fetch_add) {
    work.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
    work.wr.atomic = {peer_.region_address + request.remote, 1, 0, peer_.region_key};
  } else {
    work.opcode = IBV_WR_RDMA_WRITE;
    work.wr.rdma = {peer_.region_address + request.remote, peer_.region_key};
  }
}

void VerbsChannel::post(std::span<const WorkRequest> chain) {
  if (chain.empty()) return;
  if (chain.size() > requests_.size())
    throw DeviceError{
        device_->name, "post", 0,
        fmt::format("a chain of {} on a queue of depth {}", chain.size(), requests_.size())};
  for (std::size_t i = 0; i < chain.size(); ++i) {
    fill(i, chain[i]);
    requests_[i].next = i + 1 < chain.size() ? &requests_[i + 1] : nullptr;
  }
  ibv_send_wr* refused = nullptr;
  const int code = ibv_post_send(qp_.get(), requests_.data(), &refused);
  if (code == 0) return;
  check_events(*device_->context, device_->name);
  if (code == ENODEV || code == EIO)
    throw DeviceError{device_->name, "ibv_post_send", code, "was the device removed?"};
  throw TransportError{device_->name, "ibv_post_send", code,
                       code == ENOMEM ? "the send queue is full" : "is the queue pair in error?"};
}

void VerbsChannel::fail(const ibv_wc& entry) const {
  const auto what = fmt::format("queue pair {:#x}", qp_->qp_num);
  const auto why = describe(entry.status, entry.vendor_err);
  if (entry.status == IBV_WC_FATAL_ERR) throw DeviceError{device_->name, what, 0, why};
  throw TransportError{device_->name, what, 0, why};
}

std::size_t VerbsChannel::poll(std::span<Completed> completions) {
  const auto most = std::min(completions.size(), completions_.size());
  const int got = ibv_poll_cq(cq_.get(), static_cast<int>(most), completions_.data());
  if (got < 0) {
    check_events(*device_->context, device_->name);
    throw TransportError{device_->name, "ibv_poll_cq", 0,
                         "the completion queue overran or is gone"};
  }
  for (int i = 0; i < got; ++i) {
    const auto& entry = completions_[static_cast<std::size_t>(i)];
    if (entry.status != IBV_WC_SUCCESS) fail(entry);
    completions[static_cast<std::size_t>(i)].id = entry.wr_id;
  }
  if (got > 0)
    idle_.busy();
  else if (idle_.due())
    check_events(*device_->context, device_->name);
  return static_cast<std::size_t>(got);
}

}  // namespace qpcast::hw::verbs
