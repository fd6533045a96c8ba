/// Fields of the mlx5 command interface: where each lies, in bits from the start of its structure,
/// most significant bit of a big-endian word first.
///
/// Positions are facts of the adapter's programmer's reference manual (PRM): create CQ, QP and DCT,
/// the three QP transitions, query QP, CQ, QP and DCT context, address path. Only what is set or
/// read is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace qpcast::hw::mlx5 {

/// A field of at most 64 bits.
struct Field {
  std::uint32_t offset;  ///< bits
  std::uint32_t width;   ///< bits
  /// The same field of a structure that starts `base` bits further on.
  constexpr Field at(std::uint32_t base) const { return {offset + base, width}; }
};

/// A command or answer, zero but for what was set.
class Command {
 public:
  explicit Command(std::size_t bytes) : bytes_(bytes) {}
  explicit Command(std::span<const std::uint8_t> bytes) : bytes_(bytes.begin(), bytes.end()) {}
  void set(Field field, std::uint64_t value) {
    for (std::uint32_t i = 0; i < field.width; ++i) {
      const auto bit = field.offset + field.width - 1 - i;
      const auto mask = static_cast<std::uint8_t>(0x80U >> bit % 8);
      auto& byte = bytes_.at(bit / 8);
      byte = static_cast<std::uint8_t>((value >> i & 1) != 0 ? byte | mask : byte & ~mask);
    }
  }
  std::uint64_t get(Field field) const {
    std::uint64_t value = 0;
    for (std::uint32_t bit = field.offset; bit < field.offset + field.width; ++bit)
      value = value << 1 | (bytes_.at(bit / 8) >> (7 - bit % 8) & 1U);
    return value;
  }
  std::span<std::uint8_t> bytes() { return bytes_; }
  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

enum class Opcode : std::uint16_t {
  create_cq = 0x400,
  create_qp = 0x500,
  rst2init_qp = 0x502,
  init2rtr_qp = 0x503,
  rtr2rts_qp = 0x504,
  query_qp = 0x50b,
  create_dct = 0x710,
};

// Every command and answer.
inline constexpr Field opcode{0x0, 16};
inline constexpr Field status{0x0, 8};
inline constexpr Field syndrome{0x20, 32};
inline constexpr Field object_number{0x48, 24};  ///< CQ or QP number, in commands and answers
inline constexpr std::size_t answer_bytes = 16;

// CREATE_CQ: the context starts at 0x80.
inline constexpr std::size_t create_cq_bytes = 0x880 / 8;
inline constexpr std::uint32_t cq_context = 0x80;
inline constexpr Field cq_umem_offset{0x280, 64};
inline constexpr Field cq_umem_id{0x2c0, 32};
inline constexpr Field cq_umem_valid{0x2e0, 1};

namespace cqc {
inline constexpr Field dbr_umem_valid{0x06, 1};
inline constexpr Field cqe_size{0x08, 3};  ///< 0: 64 B
inline constexpr Field collapsed{0x0b, 1};
inline constexpr Field overrun_ignore{0x0e, 1};
inline constexpr Field dbr_umem_id{0x20, 32};
inline constexpr Field log_cq_size{0x63, 5};
inline constexpr Field uar_page{0x68, 24};
inline constexpr Field eqn{0xb8, 8};
inline constexpr Field log_page_size{0xc3, 5};
inline constexpr Field dbr_address{0x1c0, 64};
}  // namespace cqc

// CREATE_QP and the transitions: the context starts at 0xc0.
inline constexpr std::size_t qp_command_bytes = 0x880 / 8;
inline constexpr std::uint32_t qp_context = 0xc0;
inline constexpr Field wq_umem_offset{0x800, 64};
inline constexpr Field wq_umem_id{0x840, 32};
inline constexpr Field wq_umem_valid{0x860, 1};

namespace qpc {
inline constexpr Field state{0x00, 4};         ///< 6: error
inline constexpr Field service_type{0x08, 8};  ///< 0: RC, 5: DCI
inline constexpr Field pm_state{0x13, 2};      ///< 3: migrated
inline constexpr Field pd{0x28, 24};
inline constexpr Field mtu{0x40, 3};
inline constexpr Field log_msg_max{0x43, 5};
inline constexpr Field log_sq_size{0x51, 4};
inline constexpr Field uar_page{0x68, 24};
inline constexpr Field log_page_size{0xa3, 5};
inline constexpr Field remote_qpn{0xa8, 24};
inline constexpr std::uint32_t primary_path = 0xc0;
inline constexpr Field log_ack_req_freq{0x380, 4};
inline constexpr Field log_sra_max{0x388, 3};
inline constexpr Field retry_count{0x38d, 3};
inline constexpr Field rnr_retry{0x390, 3};
inline constexpr Field next_send_psn{0x3c8, 24};
inline constexpr Field cqn_send{0x3e8, 24};
inline constexpr Field log_rra_max{0x488, 3};
inline constexpr Field atomic_mode{0x48c, 4};  ///< 1: as the InfiniBand specification says
inline constexpr Field remote_write{0x491, 1};
inline constexpr Field remote_atomic{0x492, 1};
inline constexpr Field min_rnr_nak{0x4a3, 5};
inline constexpr Field next_receive_psn{0x4a8, 24};
inline constexpr Field cqn_receive{0x4e8, 24};
inline constexpr Field dbr_address{0x500, 64};
inline constexpr Field rq_type{0x565, 3};  ///< 3: no receive queue
inline constexpr Field dbr_umem_valid{0x683, 1};
inline constexpr Field dbr_umem_id{0x720, 32};
}  // namespace qpc

// QUERY_QP answers with the context where CREATE_QP has it.
inline constexpr std::size_t query_qp_bytes = 0x80 / 8;
inline constexpr std::size_t query_qp_answer_bytes = 0x880 / 8;

// CREATE_DCT: the context starts at 0x80.
inline constexpr std::size_t create_dct_bytes = 0x400 / 8;
inline constexpr std::uint32_t dct_context = 0x80;

namespace dctc {
inline constexpr Field cqn{0x48, 24};
inline constexpr Field atomic_mode{0x68, 4};
inline constexpr Field remote_write{0x6d, 1};
inline constexpr Field remote_atomic{0x6e, 1};
inline constexpr Field min_rnr_nak{0x93, 5};
inline constexpr Field srqn{0xa8, 24};
inline constexpr Field pd{0xc8, 24};
inline constexpr Field access_key{0x100, 64};
inline constexpr Field mtu{0x145, 3};
inline constexpr Field port{0x148, 8};
inline constexpr Field source_index{0x168, 8};
inline constexpr Field hop_limit{0x178, 8};
}  // namespace dctc

/// The address path inside a QP context.
namespace path {
inline constexpr Field pkey_index{0x10, 16};
inline constexpr Field grh{0x28, 1};
inline constexpr Field remote_lid{0x30, 16};
inline constexpr Field ack_timeout{0x40, 5};
inline constexpr Field source_index{0x48, 8};
inline constexpr Field hop_limit{0x58, 8};
inline constexpr Field remote_gid{0x80, 8};  ///< the first of 16 bytes
inline constexpr Field udp_source_port{0x110, 16};
inline constexpr Field port{0x128, 8};
inline constexpr Field remote_mac_high{0x130, 16};
inline constexpr Field remote_mac_low{0x140, 32};
}  // namespace path

}  // namespace qpcast::hw::mlx5
