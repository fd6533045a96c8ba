/// The parameters a platform is made of: names, units, bounds and prior beliefs.
///
/// A platform holds one value per platform parameter plus, for every cost profile (a library, or
/// one API level of it), one value per library cost. Every parameter is positive and is fitted in
/// its logarithm; `prior` and `prior_spread` are the belief before any row is read, the spread
/// being the standard deviation of the logarithm (0.7 is "within a factor of two", 0 is a known
/// fact that is never fitted). A parameter that no row speaks of keeps its prior and is reported
/// as assumed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace qpcast {

/// Which platforms share one value of the parameter.
enum class Scope : std::uint8_t {
  physics,   ///< the same everywhere: GPU cycles of a code path, WQE sizes
  nic,       ///< one value per NIC as the platform facts name it: its message-rate ceiling
  platform,  ///< one value per platform: link rate, host speed
};

/// Parameters of the machine. The mechanism that reads one documents its formula.
enum class Param : std::uint8_t {
  // GPU side, at the reference SM clock (mechanisms/clock.hpp)
  gpu_wqe_build,
  gpu_order_gpu,
  gpu_order_release,
  gpu_order_system,
  gpu_order_stream,
  gpu_host_exchange,
  gpu_host_store,
  gpu_host_read,
  gpu_inline_chunk,
  gpu_inline_stream,
  gpu_warp_build,
  gpu_sm_contention,
  gpu_memory_factor,
  // NIC path
  nic_visible,
  nic_ack,
  nic_dma_read,
  nic_geography,
  nic_load_delay,
  // NIC engine
  nic_ceiling,
  nic_duplex_penalty,
  nic_block,
  wire_line_rate,
  // connections
  conn_onset,
  conn_onset_bidirectional,
  conn_decline_bidirectional,
  conn_decline_all_to_all,
  dc_operation,
  dc_switch,
  // host
  assist_delay,
  host_speed,
  host_warm_gain,
  host_tail,
  proxy_pickup,
  // backlog
  backlog_window,
  backlog_worker_window,
  // a NIC that is a program
  host_inline_chunk,
  soft_doorbell,
  soft_message,
  soft_packet,
  soft_kib,
  soft_segment,
  soft_gpu_look,
  soft_gpu_doorbell,
  soft_gpu_message,
  soft_gpu_segment,
  soft_gpu_kib,
  soft_contention,
  conn_miss,
};
inline constexpr std::size_t param_count = static_cast<std::size_t>(Param::conn_miss) + 1;

/// Costs of a library's code, one set per cost profile.
enum class Cost : std::uint8_t {
  issue,
  clock_share,
  pointer_issue,
  complete,
  visit,
  receive,
  publish,
  publish_per_wqe,
  lock,
  drift,
  handoff,
  post,
  per_request,
  serial_fraction,
};
inline constexpr std::size_t cost_count = static_cast<std::size_t>(Cost::serial_fraction) + 1;

/// One row of either table.
struct ParameterInfo {
  std::string_view name;  ///< "nic.ceiling", or "issue" for a library cost
  std::string_view unit;  ///< "us", "Mmsg/s", "1" ...
  Scope scope;
  double prior;         ///< median before any row, in `unit`
  double prior_spread;  ///< sd of the logarithm; 0: known, not fitted
  double lowest, highest;
  std::string_view mechanism;  ///< file under model/mechanisms that reads it
  std::string_view meaning;
};

std::span<const ParameterInfo> parameter_table();
std::span<const ParameterInfo> cost_table();
inline const ParameterInfo& info(Param p) { return parameter_table()[static_cast<std::size_t>(p)]; }
inline const ParameterInfo& info(Cost c) { return cost_table()[static_cast<std::size_t>(c)]; }
std::optional<Param> find_param(std::string_view name);
std::optional<Cost> find_cost(std::string_view name);

}  // namespace qpcast
