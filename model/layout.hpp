/// Layout: what the user proposes, as a flat set of `key=value` over one vocabulary.
///
/// The same object is an argument of the hardware benchmark, of the model, and of a row of data.
/// The vocabulary is one table (`fields()`); parsing, printing, range checks, help and JSON all
/// read it, so a key is added in one place: the enumerator here and its row in layout.cpp.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace qpcast {

/// The vocabulary. Order is the order in which a layout is printed.
enum class Key : std::uint8_t {
  submitter,
  threads,
  sms,
  qps,
  contexts,
  batch,
  payload,
  inline_data,
  ordering,
  publication,
  completion,
  queue_memory,
  transport,
  dci_pool,
  clock_mhz,
  workers,
  rings,
  handoff,
  host_state,
  shared_refcount,
  background_ctas,
  queue,
  role,
  active_qps,
  peers,
  pes,
  writes_per_visit,
  window,
  queue_depth,
  caller,
  live_values,
  build,
  blocks_per_sm,
  messages_per_block,
  wait,
  workload,
  ranks,
  gpus_per_node,
  tokens,
  hidden,
  experts,
  topk,
};
inline constexpr std::size_t key_count = static_cast<std::size_t>(Key::topk) + 1;

/// Choices of the vocabulary; `Field::choices` has their spelling, in the same order. Source: the
/// project's design, after arXiv 2610.01380.

/// Who writes work requests, and who rings.
enum class Submitter : std::uint8_t {
  gpu,           ///< GPU threads write WQEs and store the doorbell
  proxy,         ///< GPU threads enqueue descriptors, CPU workers post them
  cpu_assisted,  ///< GPU threads write WQEs, a CPU thread forwards the doorbell
  host,          ///< a CPU thread posts by itself
};
/// What makes the WQE visible before the doorbell.
enum class Ordering : std::uint8_t {
  none,     ///< no fence: the cost without one, not safe
  gpu,      ///< fence of GPU scope
  release,  ///< release store of GPU scope
  system,   ///< fence of system scope
};
/// How threads share a queue pair.
enum class Publication : std::uint8_t {
  exclusive,          ///< one thread per queue pair
  lock_per_wqe,       ///< a lock around every WQE
  thread_handoff,     ///< a thread reserves slots, builds, and publishes when its turn comes
  warp_cooperative,   ///< a warp reserves 32 slots, builds in lockstep, one lane publishes
  warp_synchronised,  ///< lanes publish one by one and meet after every round
  warp_drifting,      ///< lanes publish one by one, each at its own pace
};
/// What a completion waits for.
enum class Completion : std::uint8_t {
  per_qp,    ///< one queue pair
  per_peer,  ///< every queue pair to one peer
  all_qp,    ///< every queue pair of the PE, used or not
};
/// Where work queues live.
enum class Memory : std::uint8_t { gpu, host };
/// Reliable connected, or dynamically connected.
enum class Transport : std::uint8_t { rc, dc };
/// How a GPU hands a descriptor to a proxy worker.
enum class Handoff : std::uint8_t {
  baseline,  ///< atomic reservation, progress read over PCIe, release of system scope
  tuned,     ///< one producer a ring, cached progress, one posted 16 B store
};
/// What the host's caches and clocks were like.
enum class HostState : std::uint8_t { cold, warm, uncontrolled };
/// What a probe shares with bulk traffic.
enum class Queue : std::uint8_t {
  shared,           ///< the queue of all bulk traffic
  shared_with_one,  ///< the queue of one bulk submitter
  private_queue,    ///< nothing but worker and NIC
};
/// Which way messages go between a NIC and its peers.
enum class Role : std::uint8_t { send, receive, bidirectional, all_to_all };
/// The kernel around the communication code: bound by arithmetic, or by memory.
enum class Caller : std::uint8_t { compute, streaming };
/// How the communication code is compiled into it.
enum class Build : std::uint8_t { inlined, separate };
/// One exchange of a Mixture-of-Experts layer.
enum class Workload : std::uint8_t { moe_dispatch, moe_combine };

/// `active_qps=sweep`: the row speaks of a whole sweep over active connections.
inline constexpr double sweep_value = -1;

/// One row of the vocabulary: name, unit, allowed values and what it means.
struct Field {
  Key key;
  std::string_view name;
  std::string_view unit;                      ///< "" for counts and choices
  double lowest;                              ///< inclusive; counts are whole numbers
  double highest;                             ///< inclusive
  bool whole;                                 ///< only whole numbers
  std::span<const std::string_view> choices;  ///< empty for numbers
  std::string_view meaning;
};

/// The vocabulary, in Key's order.
std::span<const Field> fields();
/// The row of a key.
const Field& field(Key key);
/// Finds a key by name; nothing if there is none.
std::optional<Key> find_key(std::string_view name);
/// The known key (or "library") nearest in spelling, for the error message.
std::string nearest_key(std::string_view name);

/// A proposed layout: the library's name and a value or nothing for every key.
class Layout {
 public:
  Layout() { values_.fill(std::nan("")); }

  bool has(Key key) const { return !std::isnan(values_[index(key)]); }
  /// The number (or choice index) set for the key; `fallback` when unset.
  double number(Key key, double fallback) const {
    return has(key) ? values_[index(key)] : fallback;
  }
  /// The choice set for the key; `fallback` when unset. E is the key's enumeration above.
  template <class E>
  E choice(Key key, E fallback) const {
    return has(key) ? static_cast<E>(static_cast<std::uint8_t>(values_[index(key)])) : fallback;
  }

  /// Sets a number or choice index without range checks (readers check; sweeps are checked once).
  void set(Key key, double value) { values_[index(key)] = value; }
  template <class E>
  requires std::is_enum_v<E>
  void set(Key key, E value) { set(key, static_cast<double>(value)); }
  void clear(Key key) { values_[index(key)] = std::nan(""); }

  /// Parses one `key=value` (or `library=NAME`) with type, range and spelling checks.
  /// @throws InputError naming `source`, the key and what would be right
  void parse(std::string_view key, std::string_view value, const std::string& source);

  /// Checks that the keys agree with each other (inline against payload, workers against a GPU
  /// submitter, QPs per thread). @throws InputError naming both keys
  void check(const std::string& source) const;

  /// The value as the vocabulary prints it ("gpu", "32", "sweep"); "" when unset.
  std::string text(Key key) const;
  /// `key=value;key=value` in the vocabulary's order, library first if named.
  std::string to_string() const;

  std::string library;  ///< preset name; empty if the row or command names none

  bool operator==(const Layout& other) const;

 private:
  static constexpr std::size_t index(Key key) { return static_cast<std::size_t>(key); }
  std::array<double, key_count> values_{};
};

/// Parses `key=value;key=value`. @throws InputError
Layout parse_layout(std::string_view text, const std::string& source);

}  // namespace qpcast
