#include "model/mechanisms/publication.hpp"

#include <algorithm>

#include "model/mechanisms/clock.hpp"
#include "model/mechanisms/submission.hpp"

namespace qpcast::publication {

/// Of the section that is left when nothing is ordered, at least: the hand-over itself.
constexpr double least_section = 0.1;
/// Of a put's two orderings, behind the WQEs and behind the record, the second waits for its turn.
constexpr double in_turn = 0.5;

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (!setup.gpu_builds()) return;
  const bool warp = setup.warp_publishes();
  const double streams = setup.streams();
  pipeline.servers(Resource::submitter, streams);
  if (setup.publication == Publication::exclusive) return;

  const auto time = [&](Cost c) {
    return clock::gpu_time(Duration::us(setup.cost(values, c)), setup, values);
  };
  const double drift = setup.publication == Publication::warp_drifting
                           ? std::max(1.0, setup.cost(values, Cost::drift))
                           : 1.0;
  auto section = time(Cost::publish);
  if (setup.ordering != Ordering::gpu) {
    const double relative =
        submission::order_cost(setup, values) / submission::order_cost(Ordering::gpu, values);
    const auto stream = Duration::us(values.get(Param::gpu_order_stream));
    const double inside = setup.publication == Publication::lock_per_wqe ? 1 : in_turn;
    const auto further = clock::gpu_time(stream * (relative - 1), setup, values);
    section = std::max(section + further * inside, time(Cost::publish) * least_section);
    if (relative > 1) pipeline.work(Resource::submitter, {}, further * (1 - inside));
  }
  if (setup.publication == Publication::lock_per_wqe) section += time(Cost::lock);
  const auto fixed = section * drift;
  const auto each = time(Cost::publish_per_wqe) * drift;
  pipeline.servers(Resource::queue, std::min(setup.qps, streams));
  pipeline.work(Resource::queue, each, fixed);
  if (warp) pipeline.work(Resource::submitter, each, fixed);
  // Lanes that wait for each other spend 32 sections a round, theirs and their neighbours'.
  if (setup.publication == Publication::warp_synchronised)
    pipeline.work(Resource::submitter, each * lanes_per_warp, fixed * lanes_per_warp);
}

}  // namespace qpcast::publication
