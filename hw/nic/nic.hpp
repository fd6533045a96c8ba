/// The interface that every NIC back end meets, as a CPU submitter sees it: a device opens
/// regions and channels; a channel is one reliable queue pair with its own completion queue.
///
/// A channel belongs to one thread at a time. Offsets are bytes from the start of the two regions
/// that a channel was opened and connected with. Errors: DeviceError.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "hw/nic/device_error.hpp"

namespace qpcast::hw {

/// What a peer needs to reach a channel. Plain data: it travels over the exchange.
struct Address {
  std::uint32_t qp_number = 0;
  std::uint32_t packet_number = 0;
  std::uint16_t lid = 0;
  std::uint16_t mtu_code = 0;  ///< ibv_mtu: 1 is 256 B, 5 is 4096 B
  std::array<std::uint8_t, 16> gid{};
  std::uint64_t region_address = 0;
  std::uint64_t region_bytes = 0;
  std::uint32_t region_key = 0;
};

enum class Operation : std::uint8_t { write, fetch_add };

/// One work request.
struct WorkRequest {
  Operation operation = Operation::write;
  bool inline_data = false;
  bool signalled = false;
  std::uint32_t length = 0;  ///< B
  std::uint64_t local = 0;   ///< offset in the local region, B
  std::uint64_t remote = 0;  ///< offset in the peer's region, B
  std::uint64_t id = 0;      ///< comes back in the completion
};

/// One completion; it retires every earlier request of its channel.
struct Completed {
  std::uint64_t id = 0;
};

struct ChannelOptions {
  std::uint32_t depth = 128;         ///< work requests outstanding
  std::uint32_t largest_inline = 0;  ///< B
};

class Channel {
 public:
  virtual ~Channel() = default;
  virtual Address address() const = 0;
  /// Brings the queue pair to ready-to-send towards `peer`.
  virtual void connect(const Address& peer) = 0;
  /// Posts a chain: one doorbell. The chain must fit in what is left of the depth.
  virtual void post(std::span<const WorkRequest> chain) = 0;
  /// Takes up to completions.size() completions. @return how many
  /// @throws TransportError for an error completion, DeviceError for a device event, as text
  virtual std::size_t poll(std::span<Completed> completions) = 0;
};

/// Memory that a NIC may read and that peers may write.
class Region {
 public:
  virtual ~Region() = default;
  virtual std::span<std::byte> bytes() = 0;
};

class Nic {
 public:
  virtual ~Nic() = default;
  /// emulated, verbs or mlx5: `source.kind` of the rows it produces.
  virtual std::string kind() const = 0;
  virtual std::string name() const = 0;
  /// Firmware, link, NUMA node and the like, for a row's environment.
  virtual std::map<std::string, std::string> environment() const = 0;
  /// The device's own counters of trouble (retransmissions, timeouts); empty when it has none.
  virtual std::map<std::string, std::uint64_t> error_counters() const { return {}; }
  /// False for a back end that retires requests without performing them (emulated, sink mode): what
  /// arrives can be neither validated nor answered.
  virtual bool writes_payload() const { return true; }
  /// @throws DeviceError when the device itself is gone, and not a queue pair alone
  virtual void check_present() {}
  /// A NIC that is a thread of this process runs on processor `cpu` from now on.
  virtual void run_on(int /*cpu*/) {}
  virtual std::unique_ptr<Region> allocate(std::size_t bytes) = 0;
  /// The region must outlive the channel.
  virtual std::unique_ptr<Channel> open(Region& region, const ChannelOptions& options) = 0;
};

}  // namespace qpcast::hw
