#include "model/mechanisms/software_nic.hpp"

#include <algorithm>
#include <cmath>

#include "model/mechanisms/paced_nic.hpp"
#include "model/mechanisms/proxy.hpp"
#include "model/mechanisms/wqe.hpp"

namespace qpcast::software_nic {

namespace {

constexpr double kib = 1024;

bool has_queues(const Setup& setup) {
  return setup.facts->nic_kind == NicKind::with_queues || setup.facts->nic_kind == NicKind::paced;
}

bool in_gpu_kernel(const Setup& setup) {
  return has_queues(setup) && setup.queue_memory == Memory::gpu;
}

double inline_segments(const Setup& setup) {
  return std::ceil((wqe::inline_header_bytes + setup.payload.count()) / wqe::segment_bytes);
}

Duration gpu_service(const Setup& setup, const ParameterValues& values) {
  const auto work = Duration::us(values.get(Param::soft_gpu_message));
  if (setup.inlined)
    return work + Duration::us(values.get(Param::soft_gpu_segment)) * inline_segments(setup);
  return work + Duration::us(values.get(Param::soft_gpu_kib)) * (setup.payload.count() / kib);
}

Duration cpu_service(const Setup& setup, const ParameterValues& values) {
  const double bytes = setup.payload.count();
  const double packets = std::max(1.0, std::ceil(bytes / setup.facts->mtu));
  auto work = Duration::us(values.get(Param::soft_message));
  const bool inlined = setup.gpu_builds() ? setup.inlined : setup.cpu_inlines;
  if (inlined && has_queues(setup))
    return work + Duration::us(values.get(Param::soft_segment)) * (inline_segments(setup) - 1);
  work += Duration::us(values.get(Param::soft_kib)) * (bytes / kib);
  if (packets > 1) work += Duration::us(values.get(Param::soft_packet)) * (packets - 1);
  return work;
}

/// How often the program looks at the line per post. While it performs a message it does not look,
/// and each look finds what was posted during the last lot: so the square.
double looks_per_post(const Setup& setup, const ParameterValues& values) {
  if (setup.facts->nic_kind == NicKind::sink) return 1;
  const double behind = service(setup, values) / proxy::post_time(setup, values);
  return behind > 1 ? 1 / (behind * behind) : 1;
}

void contend(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  const auto wait = Duration::us(values.get(Param::soft_contention)) *
                    (looks_per_post(setup, values) / setup.qps);
  pipeline.work(Resource::worker, {}, wait);
  if (setup.caller_posts)
    pipeline.path("polled line", Phase::issue, wait / setup.batch);
  else
    pipeline.path("polled line", Phase::transit, wait);
}

}  // namespace

Duration service(const Setup& setup, const ParameterValues& values) {
  return in_gpu_kernel(setup) ? gpu_service(setup, values) : cpu_service(setup, values);
}

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (setup.facts->nic_kind == NicKind::hardware) return;
  if (setup.facts->nic_kind == NicKind::sink) {
    if (!setup.gpu_builds()) contend(setup, values, pipeline);
    const auto look = Duration::us(values.get(Param::soft_doorbell));
    return pipeline.path("NIC program", Phase::transit, look);
  }
  const auto work = service(setup, values);
  if (setup.facts->nic_kind == NicKind::in_post) {
    const auto time = work * proxy::host_factor(setup, values);
    pipeline.path("NIC program in the post call",
                  setup.caller_posts ? Phase::issue : Phase::transit, time);
    return pipeline.work(Resource::worker, time);
  }
  if (!setup.gpu_builds()) contend(setup, values, pipeline);
  const bool gpu = in_gpu_kernel(setup);
  const auto doorbell =
      Duration::us(values.get(gpu ? Param::soft_gpu_doorbell : Param::soft_doorbell));
  pipeline.path("NIC program", Phase::transit, doorbell + work);
  if (!paced_nic::paces(setup)) pipeline.work(Resource::engine, work, doorbell);
  if (!gpu) return;
  const auto look = Duration::us(values.get(Param::soft_gpu_look));
  pipeline.path("NIC program looks", Phase::transit, look);
  if (setup.ordering == Ordering::system)
    pipeline.path("fence behind a look", Phase::issue, look / 2);
  pipeline.servers(Resource::engine, setup.qps);
}

}  // namespace qpcast::software_nic
