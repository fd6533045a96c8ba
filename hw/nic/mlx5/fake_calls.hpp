/// The fake adapter of the tests: records every call and command, hands out numbers and memory, and
/// refuses what it is told to refuse.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hw/nic/mlx5/calls.hpp"

namespace qpcast::hw::mlx5 {

class FakeCalls : public Calls {
 public:
  std::string name() const override { return "mlx5_0"; }
  std::map<std::string, std::string> facts() const override { return {}; }
  std::map<std::string, std::uint64_t> error_counters() const override { return {}; }
  void check_events() override {}
  LocalSide local_side() override {
    LocalSide local;
    local.pd = 0x0a0b0c;
    local.eqn = 0x1d;
    local.port = 2;
    local.gid_index = 3;
    local.ethernet = ethernet;
    local.mtu_code = 5;
    local.packet_number = 0x123456;
    return local;
  }
  Uar allocate_uar() override {
    if (refuses("uar")) return {};
    return {open("uar"), 0x00f00d, doorbell_page + 0x800};
  }
  void free_uar(Handle handle) override { close(handle, "uar"); }
  Umem register_memory(void*, std::size_t bytes) override {
    if (refuses("memory")) return {};
    registered = bytes;
    return {open("umem"), 0x77};
  }
  Umem register_dmabuf(int, std::size_t bytes) override {
    if (refuses("dmabuf")) return {};
    registered = bytes;
    through_dmabuf = true;
    return {open("umem"), 0x77};
  }
  void deregister(Handle handle) override { close(handle, "umem"); }
  Registration register_region(void*, std::size_t) override {
    if (refuses("region")) return {};
    return {open("region"), 0x100, 0x101};
  }
  Registration register_region_dmabuf(int, void* address, std::size_t bytes) override {
    if (refuses("dmabuf")) return {};
    through_dmabuf = true;
    return register_region(address, bytes);
  }
  void deregister_region(Handle handle) override { close(handle, "region"); }
  ReceiveQueue create_receive_queue() override {
    if (refuses("srq")) return {};
    return {open("srq"), 0x0e0e01};
  }
  void destroy_receive_queue(Handle handle) override { close(handle, "srq"); }

  Handle create(std::span<const std::uint8_t> command, std::span<std::uint8_t> answer) override {
    commands.emplace_back(command.begin(), command.end());
    const std::string what = command[0] == 0x04 ? "cq" : command[0] == 0x05 ? "qp" : "dct";
    if (refuses(what)) {
      answer[0] = 0x03;
      answer[7] = 0x5e;
      return nullptr;
    }
    answer[9] = 0x00;
    answer[10] = what == "cq" ? 0x0c : what == "qp" ? 0x1b : 0x2d;
    answer[11] = 0x01;
    return open(what);
  }
  int modify(Handle, std::span<const std::uint8_t> command, std::span<std::uint8_t>) override {
    commands.emplace_back(command.begin(), command.end());
    return refuses("modify") ? -1 : 0;
  }
  int query(Handle, std::span<const std::uint8_t> command,
            std::span<std::uint8_t> answer) override {
    commands.emplace_back(command.begin(), command.end());
    if (refuses("query")) return -1;
    answer[24] = static_cast<std::uint8_t>(state << 4);
    return 0;
  }
  void destroy(Handle handle) override { close(handle, "object"); }
  int resolve_mac(const Address&, Mac& mac) override {
    mac = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
    return refuses("mac") ? -1 : 0;
  }

  void* allocate_gpu(std::size_t bytes) override {
    return refuses("gpu") ? nullptr : remember("gpu", std::aligned_alloc(4096, bytes));
  }
  void free_gpu(void* memory) override {
    close(memory, "gpu");
    std::free(memory);
  }
  int fill_gpu(void* memory, std::uint8_t value, std::size_t bytes) override {
    if (refuses("fill")) return -1;
    std::fill_n(static_cast<std::uint8_t*>(memory), bytes, value);
    return 0;
  }
  int export_dmabuf(void*, std::size_t) override { return refuses("export") ? -1 : ::dup(0); }
  void* map_io_page(void* page) override { return refuses("io") ? nullptr : remember("io", page); }
  void unmap_io_page(void* page) override { close(page, "io"); }
  void* map_host(void* memory, std::size_t) override {
    return refuses("host") ? nullptr : remember("host", memory);
  }
  void unmap_host(void* memory) override { close(memory, "host"); }

  std::set<std::string> refuse;   ///< calls that fail with EPERM
  std::size_t fail_at = 0;        ///< the call, counted from 1, that fails with EPERM; 0: none
  std::vector<std::string> made;  ///< every call that can fail, in order
  std::vector<std::vector<std::uint8_t>> commands;
  std::map<Handle, std::string> live;  ///< what has not been given back
  std::vector<std::string> mistakes;   ///< given back twice or never taken; a wrong field
  std::size_t registered = 0;
  std::uint8_t state = 3;  ///< of every queue pair, as QUERY_QP tells it
  bool through_dmabuf = false;
  bool ethernet = true;
  alignas(4096) std::byte doorbell_page[4096]{};

 protected:
  bool refuses(const std::string& call) {
    made.push_back(call);
    if (!refuse.contains(call) && made.size() != fail_at) return false;
    errno = EPERM;
    return true;
  }
  Handle open(const std::string& what) {
    return remember(what, reinterpret_cast<Handle>(std::uintptr_t{++last_}));
  }
  void* remember(const std::string& what, void* handle) {
    live[handle] = what;
    return handle;
  }
  void close(Handle handle, const std::string& what) {
    if (live.erase(handle) == 0) mistakes.push_back(what);
  }

 private:
  std::uintptr_t last_ = 0;
};

}  // namespace qpcast::hw::mlx5
