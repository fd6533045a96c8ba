/// Workload: who sends what to whom in one phase of an application, as a file states it.
///
///   all-to-all     every rank writes `messages` messages on each of `qps` queue pairs to every
///                  other rank
///   incast         the same to the first `receivers` ranks only, which do not send
///   moe-dispatch   every rank sends each of its tokens to `topk` experts, drawn without
///                  repetition; experts live on ranks in blocks of experts / ranks
///   moe-combine    the way back: the same draw, from the experts' ranks to the tokens'
///
/// A token message is header + hidden * bytes of its type + one 4 B scale per scale_block elements.
/// Ranks of one node exchange through NVLink and leave the NIC alone unless local_by_nic is set.
/// Not modelled: what the receiver does with the payload (copying, the experts' work).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/layout.hpp"
#include "model/units.hpp"

namespace qpcast {

enum class Pattern : std::uint8_t { all_to_all, incast, moe_dispatch, moe_combine };
enum class Dtype : std::uint8_t { fp8, bf16, fp16, fp32 };
enum class Routing : std::uint8_t { uniform, zipf };
enum class QueueMapping : std::uint8_t { per_peer, per_expert };

struct WorkloadSpec {
  std::string name, description, source;
  Pattern pattern = Pattern::all_to_all;
  std::uint32_t ranks = 8;
  std::uint32_t gpus_per_node = 1;
  bool local_by_nic = false;
  std::uint32_t qps = 1;  ///< queue pairs per peer; experts share them when there are fewer
  bool rotated = true;    ///< rank r starts with peer r + 1; else everyone with rank 0

  std::uint32_t messages = 32;  ///< per queue pair: all-to-all, incast
  std::uint32_t receivers = 1;  ///< incast

  std::uint32_t tokens = 128, hidden = 7168, experts = 288, topk = 8;
  Dtype dispatch = Dtype::fp8, combine = Dtype::bf16;
  std::uint32_t header = 0;       ///< bytes before a token
  std::uint32_t scale_block = 0;  ///< elements per scale of an fp8 token; 0: no scales
  Routing routing = Routing::uniform;
  double zipf = 1;  ///< popularity of the k-th expert is 1 / k^zipf
  QueueMapping mapping = QueueMapping::per_expert;
  std::uint32_t doorbell_every = 0;  ///< messages of one queue pair per doorbell; 0: the batch

  Layout defaults;  ///< how the ranks submit, unless the command line says otherwise

  bool moe() const { return pattern == Pattern::moe_dispatch || pattern == Pattern::moe_combine; }
};

std::string pattern_name(Pattern pattern);
std::optional<Pattern> find_pattern(const std::string& name);
std::string pattern_names();
double bytes_of(Dtype type);

/// The workload with what a layout says of ranks, gpus_per_node, qps, tokens, hidden, experts, topk
/// and writes_per_visit (messages per queue pair).
WorkloadSpec override_with(WorkloadSpec workload, const Layout& layout);

/// @throws InputError naming the key that is zero, not divisible or contradictory
void check(const WorkloadSpec& workload, const std::string& source);

/// Payload of one token message. Precondition: moe.
Bytes token_message(const WorkloadSpec& workload);

/// One queue pair of a sender: where it leads, and how many messages go there.
struct QueueLoad {
  std::uint32_t target = 0, messages = 0;
};

/// The messages of every rank. Memory: ranks * experts counts; nothing per message.
class TrafficPlan {
 public:
  TrafficPlan(const WorkloadSpec& workload, std::uint64_t seed);
  /// Queue pairs of a rank in the order in which it visits them; none is empty.
  std::vector<QueueLoad> queues(std::uint32_t rank) const;

 private:
  void route_tokens(std::uint64_t seed);
  std::uint32_t tokens_for(std::uint32_t source, std::uint32_t expert) const {
    return counts_[std::size_t{source} * w_.experts + expert];
  }
  bool by_nic(std::uint32_t a, std::uint32_t b) const {
    return a != b && (w_.local_by_nic || a / w_.gpus_per_node != b / w_.gpus_per_node);
  }
  void to_peer(std::uint32_t rank, std::uint32_t peer, std::vector<QueueLoad>& out) const;
  void moe_to_peer(std::uint32_t rank, std::uint32_t peer, std::vector<QueueLoad>& out) const;

  WorkloadSpec w_;
  std::vector<std::uint32_t> counts_;  ///< tokens of each rank for each expert
};

}  // namespace qpcast
