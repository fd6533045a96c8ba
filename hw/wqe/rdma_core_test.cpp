// Byte for byte against rdma-core's own structures and setters (infiniband/mlx5dv.h).
#include <infiniband/mlx5dv.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "hw/wqe/completion.hpp"
#include "hw/wqe/doorbell.hpp"
#include "hw/wqe/encode.hpp"

using namespace qpcast::hw::wqe;

namespace {

constexpr std::uint32_t depth = 8;
constexpr std::uint32_t qpn = 0x0a1b2c;

/// Our ring, and rdma-core's: both filled with the same nonsense, so that a byte that one writes
/// and the other does not is seen.
struct Rings {
  Rings() {
    std::memset(ours.data(), 0xa5, sizeof ours);
    std::memset(theirs.data(), 0xa5, sizeof theirs);
  }
  SendQueue queue() { return make_send_queue(ours.data(), depth, qpn); }
  template <class Theirs>
  Theirs* at(std::uint32_t index, std::uint32_t segment) {
    return reinterpret_cast<Theirs*>(theirs.data() + (index * 4 + segment) % (4 * depth));
  }
  bool same() const { return std::memcmp(ours.data(), theirs.data(), sizeof ours) == 0; }

  alignas(64) std::array<Segment, 4 * depth> ours;
  alignas(64) std::array<Segment, 4 * depth> theirs;
};

void set_control(Rings& rings, std::uint32_t index, std::uint8_t opcode, std::uint8_t flags,
                 std::uint8_t segments, std::uint32_t immediate = 0) {
  std::memset(rings.at<char>(index, 0), 0, 16);  // the setter leaves the DCI stream alone
  mlx5dv_set_ctrl_seg(rings.at<mlx5_wqe_ctrl_seg>(index, 0), static_cast<std::uint16_t>(index),
                      opcode, 0, qpn, flags, segments, 0, immediate);
}

void set_remote(Rings& rings, std::uint32_t index, std::uint32_t at, const Remote& remote) {
  auto* const segment = rings.at<mlx5_wqe_raddr_seg>(index, at);
  segment->raddr = htobe64(remote.address);
  segment->rkey = htobe32(remote.key);
  segment->reserved = 0;
}

void set_data(Rings& rings, std::uint32_t index, std::uint32_t at, const Local& local,
              std::uint32_t length) {
  mlx5dv_set_data_seg(rings.at<mlx5_wqe_data_seg>(index, at), length, local.key, local.address);
}

/// rdma-core writes the vector as one structure; ours may wrap between segments.
void set_vector(Rings& rings, std::uint32_t index, const FullVector& full, bool extended) {
  mlx5_wqe_datagram_seg whole{};
  auto mac = std::to_array(full.route.remote_mac);
  auto gid = std::to_array(full.gid.remote_gid);
  mlx5dv_set_dgram_seg(&whole, full.target.access_key, full.target.dct, extended ? 1 : 0,
                       full.target.rate_sl, full.target.source_path, full.target.remote_lid,
                       mac.data(), full.route.traffic_class, full.route.hop_limit,
                       full.route.grh_gid_flow, gid.data());
  for (std::uint32_t i = 0; i < (extended ? 3U : 1U); ++i)
    std::memcpy(rings.at<char>(index, 1 + i), reinterpret_cast<const char*>(&whole) + 16 * i, 16);
}

constexpr Remote remote{0x1122334455667788, 0x99aabbcc};
constexpr Local local{0x8877665544332211, 0xddeeff01};

FullVector a_route() {
  FullVector full;
  full.target = {0xfedcba9876543210, 0x345678, 0x4321, 0x17, 0x2a};
  full.route = {{0, 0, 0, 0}, {2, 4, 6, 8, 10, 12}, 0x60, 64, 0x80000001};
  for (std::uint8_t i = 0; i < 16; ++i) full.gid.remote_gid[i] = static_cast<std::uint8_t>(17 * i);
  return full;
}

}  // namespace

TEST_CASE("constants are rdma-core's") {
  CHECK(block_bytes == MLX5_SEND_WQE_BB);
  CHECK(static_cast<int>(Opcode::nop) == MLX5_OPCODE_NOP);
  CHECK(static_cast<int>(Opcode::rdma_write) == MLX5_OPCODE_RDMA_WRITE);
  CHECK(static_cast<int>(Opcode::rdma_write_immediate) == MLX5_OPCODE_RDMA_WRITE_IMM);
  CHECK(static_cast<int>(Opcode::atomic_fetch_add) == MLX5_OPCODE_ATOMIC_FA);
  CHECK(int{flag::signalled} == MLX5_WQE_CTRL_CQ_UPDATE);
  CHECK(int{flag::solicited} == MLX5_WQE_CTRL_SOLICITED);
  CHECK(int{flag::fence} == MLX5_WQE_CTRL_FENCE);
  CHECK(int{flag::small_fence} == MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE);
  CHECK(inline_mark == static_cast<std::uint32_t>(MLX5_INLINE_SEG));
  CHECK(extended_mark == static_cast<std::uint32_t>(MLX5_EXTENDED_UD_AV));
  CHECK(send_record == MLX5_SND_DBR);
  CHECK(static_cast<int>(CompletionKind::requester) == MLX5_CQE_REQ);
  CHECK(static_cast<int>(CompletionKind::responder_write_immediate) == MLX5_CQE_RESP_WR_IMM);
  CHECK(static_cast<int>(CompletionKind::requester_error) == MLX5_CQE_REQ_ERR);
  CHECK(static_cast<int>(CompletionKind::responder_error) == MLX5_CQE_RESP_ERR);
  CHECK(static_cast<int>(CompletionKind::invalid) == MLX5_CQE_INVALID);
  CHECK(static_cast<int>(Syndrome::local_length) == MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
  CHECK(static_cast<int>(Syndrome::local_qp_operation) == MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
  CHECK(static_cast<int>(Syndrome::local_protection) == MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
  CHECK(static_cast<int>(Syndrome::flushed) == MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
  CHECK(static_cast<int>(Syndrome::remote_invalid_request) ==
        MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
  CHECK(static_cast<int>(Syndrome::remote_access) == MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
  CHECK(static_cast<int>(Syndrome::remote_operation) == MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
  CHECK(static_cast<int>(Syndrome::retries_exceeded) == MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
  CHECK(static_cast<int>(Syndrome::receiver_not_ready) == MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR);
}

TEST_CASE("an RDMA write with a data pointer is rdma-core's bytes") {
  const auto index = GENERATE(0U, 3U, 7U, 0x10006U, 0xffffffU);
  Rings rings;
  set_control(rings, index, MLX5_OPCODE_RDMA_WRITE, MLX5_WQE_CTRL_CQ_UPDATE, 3);
  set_remote(rings, index, 1, remote);
  set_data(rings, index, 2, local, 4096);
  CHECK(write_pointer(rings.queue(), index, flag::signalled, remote, local, 4096) == 1);
  CHECK(rings.same());
}

TEST_CASE("an empty write has no data segment, since a byte count of 0 means 2 GiB") {
  Rings rings;
  set_control(rings, 2, MLX5_OPCODE_RDMA_WRITE_IMM, 0, 2, htobe32(77));
  set_remote(rings, 2, 1, remote);
  CHECK(write_with_immediate(rings.queue(), 2, flag::none, remote, local, 0, 77) == 1);
  CHECK(rings.same());
}

TEST_CASE("inline writes of every length are rdma-core's bytes") {
  std::vector<std::uint32_t> payload(largest_inline / 4);
  std::mt19937 random{7};
  for (auto& word : payload) word = static_cast<std::uint32_t>(random());
  for (std::uint32_t length = 1; length <= largest_inline; ++length) {
    const std::uint32_t index = 5 + length;  // starts everywhere in the ring, and wraps
    Rings rings;
    const auto segments = static_cast<std::uint8_t>(2 + (4 + length + 15) / 16);
    std::vector<std::uint8_t> data(16UL * (segments - 2U));
    const mlx5_wqe_inl_data_seg header{
        htobe32(length | static_cast<std::uint32_t>(MLX5_INLINE_SEG))};
    std::memcpy(data.data(), &header, sizeof header);
    std::memcpy(data.data() + sizeof header, payload.data(), length);
    set_control(rings, index, MLX5_OPCODE_RDMA_WRITE, 0, segments);
    set_remote(rings, index, 1, remote);
    for (std::uint32_t i = 0; i + 2 < segments; ++i)
      std::memcpy(rings.at<char>(index, 2 + i), data.data() + 16UL * i, 16);
    const auto blocks = write_inline(rings.queue(), index, flag::none, remote,
                                     MemoryPayload{payload.data()}, length);
    INFO("length " << length);
    CHECK(blocks == (segments + 3U) / 4);
    CHECK(rings.same());
  }
}

TEST_CASE("an inline write from a register equals one from memory") {
  for (std::uint32_t length = 1; length <= 8; ++length) {
    const std::uint64_t value = 0x8070605040302010;
    Rings registers, memory;
    write_inline(registers.queue(), 1, flag::none, remote, MemoryPayload{&value}, length);
    std::uint64_t masked = 0;
    std::memcpy(&masked, &value, length);
    write_inline(memory.queue(), 1, flag::none, remote, RegisterPayload{masked}, length);
    CHECK(registers.ours.size() == memory.ours.size());
    CHECK(std::memcmp(&registers.ours, &memory.ours, sizeof memory.ours) == 0);
  }
}

TEST_CASE("an atomic fetch-add is rdma-core's bytes") {
  Rings rings;
  set_control(rings, 4, MLX5_OPCODE_ATOMIC_FA, MLX5_WQE_CTRL_FENCE, 4);
  set_remote(rings, 4, 1, remote);
  auto* const atomic = rings.at<mlx5_wqe_atomic_seg>(4, 2);
  atomic->swap_add = htobe64(0x0102030405060708);
  atomic->compare = 0;
  set_data(rings, 4, 3, local, 8);
  CHECK(fetch_add(rings.queue(), 4, flag::fence, remote, local, 0x0102030405060708) == 1);
  CHECK(rings.same());
}

TEST_CASE("a NOP is rdma-core's bytes") {
  Rings rings;
  set_control(rings, 9, MLX5_OPCODE_NOP, MLX5_WQE_CTRL_CQ_UPDATE, 1);
  CHECK(nop(rings.queue(), 9, flag::signalled) == 1);
  CHECK(rings.same());
}

TEST_CASE("DC address vectors are rdma-core's bytes, compact and full, also over the ring's end") {
  const auto index = GENERATE(0U, 7U);
  const auto full = a_route();
  Rings rings;
  SECTION("compact") {
    set_control(rings, index, MLX5_OPCODE_RDMA_WRITE, 0, 4);
    set_vector(rings, index, full, false);
    set_remote(rings, index, 2, remote);
    set_data(rings, index, 3, local, 64);
    CHECK(write_pointer(rings.queue(), index, flag::none, remote, local, 64, full.target) == 1);
  }
  SECTION("full") {
    set_control(rings, index, MLX5_OPCODE_RDMA_WRITE_IMM, 0, 6, htobe32(0xcafe));
    set_vector(rings, index, full, true);
    set_remote(rings, index, 4, remote);
    set_data(rings, index, 5, local, 64);
    CHECK(write_with_immediate(rings.queue(), index, flag::none, remote, local, 64, 0xcafe, full) ==
          2);
  }
  CHECK(rings.same());
}

TEST_CASE("the doorbell is a control segment's first half, the records are big-endian words") {
  mlx5_wqe_ctrl_seg theirs{};
  mlx5dv_set_ctrl_seg(&theirs, 0x1234, 0, 0, qpn, 0, 0, 0, 0);
  std::uint64_t expected = 0;
  std::memcpy(&expected, &theirs, sizeof expected);
  CHECK(doorbell_value(0x71234, qpn) == expected);
  CHECK(send_record_value(0x71234) == htobe32(0x1234));
  CHECK(consumer_record_value(0x71234567) == htobe32(0x234567));

  const SendQueue queue{nullptr, 31, qpn};
  const auto last = control(queue, 0xfffe, Opcode::rdma_write, flag::none, 6);
  std::memcpy(&expected, &last, sizeof expected);
  CHECK(doorbell_value(last) == expected);
  CHECK(read_doorbell(doorbell_value(last)).next == 0);  // two blocks, over the 16 bits' end
  CHECK(read_doorbell(doorbell_value(0x71234, qpn)).next == 0x1234);
  CHECK(read_doorbell(doorbell_value(0x71234, qpn)).qpn == qpn);
}

TEST_CASE("rdma-core reads our completion entries, and we read its fields") {
  alignas(64) CompletionEntry entry{};
  entry.byte_count = 0x01020304;
  entry.immediate = 0xcafe;
  entry.timestamp_low = 0x0000aa13;
  const std::uint64_t tail =
      tail_value({MLX5_OPCODE_RDMA_WRITE, qpn, 0xbeef, CompletionKind::requester_error, true});
  std::memcpy(reinterpret_cast<char*>(&entry) + tail_offset, &tail, sizeof tail);

  mlx5_cqe64 theirs{};
  std::memcpy(&theirs, &entry, sizeof theirs);
  CHECK(mlx5dv_get_cqe_owner(&theirs) == 1);
  CHECK(mlx5dv_get_cqe_opcode(&theirs) == MLX5_CQE_REQ_ERR);
  CHECK(be32toh(theirs.byte_cnt) == 0x01020304);
  CHECK(be32toh(theirs.imm_inval_pkey) == 0xcafe);
  CHECK(be32toh(theirs.sop_drop_qpn) == (MLX5_OPCODE_RDMA_WRITE << 24 | qpn));
  CHECK(be16toh(theirs.wqe_counter) == 0xbeef);
  mlx5_err_cqe error{};
  std::memcpy(&error, &entry, sizeof error);
  CHECK(error.syndrome == MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
  CHECK(error.vendor_err_synd == 0xaa);
  CHECK(error_detail(entry).syndrome == Syndrome::remote_access);
  CHECK(error_detail(entry).vendor == 0xaa);

  mlx5dv_set_cqe_owner(&theirs, 0);
  std::uint64_t raw = 0;
  std::memcpy(&raw, reinterpret_cast<const char*>(&theirs) + tail_offset, sizeof raw);
  const auto back = read_tail(raw);
  CHECK(back.kind == CompletionKind::requester_error);
  CHECK_FALSE(back.owner);
  CHECK(back.wqe_counter == 0xbeef);
  CHECK(back.qpn == qpn);
  CHECK(back.send_opcode == MLX5_OPCODE_RDMA_WRITE);
}
