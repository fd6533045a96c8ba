/// A fake whose commands take effect: it reads every field that a command sets, checks it against
/// what was registered before, and hands the queues that it describes to the emulated NIC, which
/// then serves them. A field that the adapter would refuse is answered with "bad parameter".
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include "hw/nic/device_error.hpp"
#include "hw/nic/emulated/errors.hpp"
#include "hw/nic/emulated/server.hpp"
#include "hw/nic/mlx5/fake_calls.hpp"

namespace qpcast::hw::mlx5 {

class FakeAdapter final : public FakeCalls {
 public:
  explicit FakeAdapter(const emulated::Imposed& imposed = {}) : server{imposed} {}

  std::string name() const override { return "mlx5_0 (emulated)"; }
  std::map<std::string, std::string> facts() const override {
    return {{"nic.firmware", "emulated"}, {"nic.link_layer", ethernet ? "Ethernet" : "InfiniBand"}};
  }
  std::map<std::string, std::uint64_t> error_counters() const override { return counters; }
  void check_events() override {
    if (server.event(0) == emulated::Event::device_removed)
      throw DeviceError{name(), "device fatal event", ENODEV, "the device was removed"};
  }
  LocalSide local_side() override {
    const std::scoped_lock lock{mutex_};
    auto local = FakeCalls::local_side();
    local.packet_number = ++packet_number_;
    local.gid = {0xfe, 0x80, 1};
    local.lid = 7;
    return local;
  }

  Uar allocate_uar() override {
    const std::scoped_lock lock{mutex_};
    if (refuses("uar")) return {};
    auto page = std::make_unique<Page>();
    auto* const doorbell = page->bytes + 0x800;
    auto* const handle = open("uar");
    uars_[handle] = {++numbers_, std::move(page)};
    return {handle, numbers_, doorbell};
  }
  void free_uar(Handle handle) override {
    const std::scoped_lock lock{mutex_};
    uars_.erase(handle);
    FakeCalls::free_uar(handle);
  }

  Umem register_memory(void* address, std::size_t bytes) override {
    const std::scoped_lock lock{mutex_};
    return remember_umem(FakeCalls::register_memory(address, bytes), address, bytes);
  }
  Umem register_dmabuf(int descriptor, std::size_t bytes) override {
    const std::scoped_lock lock{mutex_};
    return remember_umem(FakeCalls::register_dmabuf(descriptor, bytes), exported_, bytes);
  }
  void deregister(Handle handle) override {
    const std::scoped_lock lock{mutex_};
    umems_.erase(handle);
    FakeCalls::deregister(handle);
  }
  int export_dmabuf(void* memory, std::size_t bytes) override {
    exported_ = memory;
    return FakeCalls::export_dmabuf(memory, bytes);
  }

  Registration register_region(void* address, std::size_t bytes) override {
    const std::scoped_lock lock{mutex_};
    auto registration = FakeCalls::register_region(address, bytes);
    if (!registration.handle) return registration;
    const auto key = server.register_memory(address, bytes);
    keys_[registration.handle] = key;
    return {registration.handle, key, key};
  }
  void deregister_region(Handle handle) override {
    const std::scoped_lock lock{mutex_};
    server.deregister(keys_.at(handle));
    keys_.erase(handle);
    FakeCalls::deregister_region(handle);
  }

  Handle create(std::span<const std::uint8_t> bytes, std::span<std::uint8_t> answer) override {
    const std::scoped_lock lock{mutex_};
    auto* const handle = FakeCalls::create(bytes, answer);
    if (!handle) return nullptr;
    const Command command{bytes};
    std::optional<std::uint32_t> number;
    switch (static_cast<Opcode>(command.get(opcode))) {
      case Opcode::create_cq:
        number = open_completions(handle, command);
        break;
      case Opcode::create_qp:
        number = open_queue(handle, command);
        break;
      case Opcode::create_dct:
        number = open_target(handle, command);
        break;
      default:
        break;
    }
    if (!number) return refuse_field(handle, answer);
    Command told{answer_bytes};
    told.set(object_number, *number);
    std::ranges::copy(told.bytes(), answer.begin());
    return handle;
  }

  int modify(Handle handle, std::span<const std::uint8_t> bytes,
             std::span<std::uint8_t> answer) override {
    const std::scoped_lock lock{mutex_};
    if (FakeCalls::modify(handle, bytes, answer) != 0) return -1;
    const Command command{bytes};
    auto& qp = queues_.at(handle);
    check(command.get(object_number) == qp.number, "a transition names another queue pair");
    switch (static_cast<Opcode>(command.get(opcode))) {
      case Opcode::rst2init_qp:
        return to_init(qp, command);
      case Opcode::init2rtr_qp:
        return to_ready_to_receive(qp, command);
      case Opcode::rtr2rts_qp:
        return to_ready_to_send(qp, command);
      default:
        check(false, "unknown transition");
        return -1;
    }
  }

  int query(Handle handle, std::span<const std::uint8_t> bytes,
            std::span<std::uint8_t> answer) override {
    const std::scoped_lock lock{mutex_};
    const auto& qp = queues_.at(handle);
    check(Command{bytes}.get(object_number) == qp.number, "a query names another queue pair");
    constexpr std::uint8_t ready_to_send = 3, error = 6;
    state = server.event(qp.number) == emulated::Event::none ? ready_to_send : error;
    return FakeCalls::query(handle, bytes, answer);
  }

  void destroy(Handle handle) override {
    const std::scoped_lock lock{mutex_};
    if (const auto qp = queues_.find(handle); qp != queues_.end()) {
      server.detach(qp->second.number);
      queues_.erase(qp);
    }
    if (const auto target = targets_.find(handle); target != targets_.end()) {
      server.detach(target->second->number);
      targets_.erase(target);
    }
    completions_.erase(handle);
    FakeCalls::destroy(handle);
  }

  int resolve_mac(const Address& peer, Mac& mac) override {
    const std::scoped_lock lock{mutex_};
    return FakeCalls::resolve_mac(peer, mac);
  }

  emulated::Server server;                        ///< performs what the queues hold
  std::map<std::string, std::uint64_t> counters;  ///< what error_counters() says

 private:
  struct alignas(4096) Page {
    std::byte bytes[4096]{};  ///< the doorbell register lies at 0x800
  };
  struct UarPage {
    std::uint32_t number = 0;    ///< that a queue's context names
    std::unique_ptr<Page> page;  ///< in place of the device's I/O memory
  };
  /// Registered user memory.
  struct Memory {
    std::uint32_t id = 0;          ///< that commands name
    std::byte* address = nullptr;  ///< where it starts
    std::size_t bytes = 0;         ///< how long it is
  };
  struct Completions {
    std::uint32_t number = 0;           ///< that a queue pair's context names
    emulated::CompletionMemory memory;  ///< where its entries lie
  };
  struct Queue {
    std::uint32_t number = 0;        ///< of the queue pair, the server's
    bool dc = false;                 ///< a DC initiator
    std::uint8_t state = 0;          ///< 0 reset, 1 init, 2 ready to receive, 3 ready to send
    std::uint64_t expected_psn = 0;  ///< packet number that the peer must start at
    std::uint32_t peer = 0;          ///< number of the other end's queue pair
  };
  /// Of a DC target: a queue that never sends.
  struct Target {
    std::uint32_t number = 0;    ///< that address vectors name
    std::uint32_t record[2]{};   ///< doorbell record, never advanced
    std::uint64_t doorbell = 0;  ///< never rung
    struct alignas(64) Block {
      std::byte bytes[64];         ///< one WQE block
    } block{};                     ///< its whole send queue
    wqe::CompletionEntry entry{};  ///< its whole completion queue
  };

  bool check(bool right, const std::string& what) {
    if (!right) mistakes.push_back(what);
    return right;
  }
  Handle refuse_field(Handle handle, std::span<std::uint8_t> answer) {
    FakeCalls::destroy(handle);
    std::ranges::fill(answer, std::uint8_t{0});
    answer[0] = 0x03;  // bad parameter
    errno = EREMOTEIO;
    return nullptr;
  }

  Umem remember_umem(Umem umem, void* address, std::size_t bytes) {
    if (!umem.handle) return umem;
    umem.id = ++numbers_;
    umems_[umem.handle] = {umem.id, static_cast<std::byte*>(address), bytes};
    return umem;
  }
  /// `bytes` at an offset of a user memory; null when they are not all inside.
  std::byte* inside(std::uint64_t id, std::uint64_t offset, std::size_t bytes) {
    for (const auto& [handle, memory] : umems_)
      if (memory.id == id && offset + bytes <= memory.bytes) return memory.address + offset;
    check(false,
          fmt::format("{} B at {:#x} of user memory {} are not registered", bytes, offset, id));
    return nullptr;
  }
  std::byte* doorbell(std::uint64_t page) {
    for (const auto& [handle, uar] : uars_)
      if (uar.number == page) return uar.page->bytes + 0x800;
    check(false, "no such doorbell page");
    return nullptr;
  }

  std::optional<std::uint32_t> open_completions(Handle handle, const Command& c) {
    const auto in = [&](Field field) { return c.get(field.at(cq_context)); };
    const auto log = static_cast<std::uint32_t>(in(cqc::log_cq_size));
    auto* const ring = inside(c.get(cq_umem_id), c.get(cq_umem_offset), std::size_t{64} << log);
    auto* const record = inside(in(cqc::dbr_umem_id), in(cqc::dbr_address), 8);
    const bool collapsed = in(cqc::collapsed) != 0;
    const bool right =
        check(ring && record && doorbell(in(cqc::uar_page)), "completion queue without memory") &&
        check(c.get(cq_umem_valid) == 1 && in(cqc::dbr_umem_valid) == 1, "user memory not valid") &&
        check(in(cqc::eqn) == 0x1d, "event queue") &&
        check(in(cqc::cqe_size) == 0, "64 B entries") &&
        check((in(cqc::overrun_ignore) != 0) == collapsed, "overruns of a collapsed queue only");
    if (!right) return std::nullopt;
    auto* const words = reinterpret_cast<std::uint32_t*>(record);
    completions_[handle] = {++numbers_,
                            {reinterpret_cast<wqe::CompletionEntry*>(ring), log, collapsed,
                             collapsed ? nullptr : words}};
    return numbers_;
  }

  const Completions* completions(std::uint64_t number) {
    for (const auto& [handle, found] : completions_)
      if (found.number == number) return &found;
    check(false, "no such completion queue");
    return nullptr;
  }

  std::optional<std::uint32_t> open_queue(Handle handle, const Command& c) {
    const auto in = [&](Field field) { return c.get(field.at(qp_context)); };
    const auto blocks = 1U << in(qpc::log_sq_size);
    auto* const ring = inside(c.get(wq_umem_id), c.get(wq_umem_offset), std::size_t{64} * blocks);
    auto* const record = inside(in(qpc::dbr_umem_id), in(qpc::dbr_address), 8);
    auto* const bell = doorbell(in(qpc::uar_page));
    const auto* const cq = completions(in(qpc::cqn_send));
    const auto service = in(qpc::service_type);
    const bool right =
        check(ring && record && bell && cq, "queue pair without memory") &&
        check(c.get(wq_umem_valid) == 1 && in(qpc::dbr_umem_valid) == 1, "user memory not valid") &&
        check(in(qpc::pd) == 0x0a0b0c, "protection domain") &&
        check(in(qpc::rq_type) == 3, "no receive queue") &&
        check(service == 0 || service == 5, "RC or DCI") &&
        check(in(qpc::cqn_receive) == in(qpc::cqn_send), "receive completion queue");
    if (!right) return std::nullopt;
    emulated::QueueMemory memory;
    memory.send_queue = ring;
    memory.depth = blocks;
    memory.dc = service == 5;
    memory.record = reinterpret_cast<std::uint32_t*>(record);
    memory.doorbell = reinterpret_cast<std::uint64_t*>(bell);
    memory.completions = cq->memory;
    const auto number = server.attach(memory);
    queues_[handle] = {number, memory.dc, 0, 0, 0};
    return number;
  }

  std::optional<std::uint32_t> open_target(Handle handle, const Command& c) {
    const auto in = [&](Field field) { return c.get(field.at(dct_context)); };
    const bool right = check(completions(in(dctc::cqn)) != nullptr, "target without completions") &&
                       check(in(dctc::srqn) == 0x0e0e01, "target without receive queue") &&
                       check(in(dctc::pd) == 0x0a0b0c, "protection domain") &&
                       check(in(dctc::port) == 2 && in(dctc::mtu) == 5, "port and MTU") &&
                       check(in(dctc::remote_write) == 1, "remote write") &&
                       check(!ethernet || in(dctc::source_index) == 3, "GID index");
    if (!right) return std::nullopt;
    auto target = std::make_unique<Target>();
    emulated::QueueMemory memory;
    memory.send_queue = &target->block;
    memory.depth = 1;
    memory.record = target->record;
    memory.doorbell = &target->doorbell;
    memory.completions = {&target->entry, 0, true, nullptr};
    target->number = server.attach(memory, in(dctc::access_key));
    const auto number = target->number;
    targets_[handle] = std::move(target);
    return number;
  }

  int step(Queue& qp, std::uint8_t from, bool right) {
    if (!check(qp.state == from, "transition out of order") || !right) {
      errno = EREMOTEIO;
      return -1;
    }
    ++qp.state;
    return 0;
  }
  int to_init(Queue& qp, const Command& c) {
    const auto path = [&](Field field) { return c.get(field.at(qp_context + qpc::primary_path)); };
    return step(qp, 0, check(path(path::port) == 2, "port"));
  }
  int to_ready_to_receive(Queue& qp, const Command& c) {
    const auto in = [&](Field field) { return c.get(field.at(qp_context)); };
    const auto path = [&](Field field) { return in(field.at(qpc::primary_path)); };
    const bool right = check(path(path::port) == 2, "port") &&
                       check(in(qpc::mtu) >= 1 && in(qpc::mtu) <= 5, "MTU") &&
                       check(in(qpc::log_msg_max) == 30, "largest message") &&
                       check(!ethernet || path(path::hop_limit) == 64, "hop limit") &&
                       check(!ethernet || path(path::source_index) == 3, "GID index") &&
                       check(qp.dc || ethernet || path(path::remote_lid) == 7, "remote LID") &&
                       check(qp.dc || !ethernet || path(path::remote_mac_low) == 0x22334455, "MAC");
    const int code = step(qp, 1, right);
    if (code != 0 || qp.dc) return code;
    qp.peer = static_cast<std::uint32_t>(in(qpc::remote_qpn));
    qp.expected_psn = in(qpc::next_receive_psn);
    server.connect(qp.number, qp.peer);
    return 0;
  }
  int to_ready_to_send(Queue& qp, const Command& c) {
    const auto in = [&](Field field) { return c.get(field.at(qp_context)); };
    bool right = check(in(qpc::retry_count) == 7 && in(qpc::rnr_retry) == 7, "retries");
    // Whoever sends must start at the packet number that the other end was told to expect.
    for (const auto& [handle, other] : queues_)
      if (!qp.dc && other.number == qp.peer && other.state >= 2 && other.peer == qp.number)
        right &= check(other.expected_psn == in(qpc::next_send_psn), "packet number");
    return step(qp, 2, right);
  }

  std::mutex mutex_;                      // a peer's thread may open channels too
  std::uint32_t numbers_ = 0x200;         ///< last object number given
  std::uint32_t packet_number_ = 0x1000;  ///< last first packet number given
  void* exported_ = nullptr;              ///< memory of the last dma-buf
  std::map<Handle, UarPage> uars_;
  std::map<Handle, Memory> umems_;
  std::map<Handle, std::uint32_t> keys_;
  std::map<Handle, Completions> completions_;
  std::map<Handle, Queue> queues_;
  std::map<Handle, std::unique_ptr<Target>> targets_;
};

}  // namespace qpcast::hw::mlx5
