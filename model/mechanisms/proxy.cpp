#include "model/mechanisms/proxy.hpp"

#include <algorithm>
#include <cmath>

#include "model/mechanisms/clock.hpp"
#include "model/mechanisms/wqe.hpp"

namespace qpcast::proxy {

double host_factor(const Setup& setup, const ParameterValues& values) {
  const double gain = std::max(1.0, values.get(Param::host_warm_gain));
  const double speed = values.get(Param::host_speed);
  auto state = setup.host_state;
  if (state == HostState::cold && setup.background_ctas > 0) state = HostState::uncontrolled;
  switch (state) {
    case HostState::cold:
      return 1 / speed;
    case HostState::warm:
      return 1 / (gain * speed);
    case HostState::uncontrolled:
      return 1 / (std::sqrt(gain) * speed);
  }
  return 1 / speed;
}

namespace {

/// A CPU's stores of inline data beyond the first 16 B segment.
Duration stores(const Setup& setup, const ParameterValues& values) {
  if (!setup.cpu_inlines) return {};
  const double chunks =
      std::ceil((wqe::inline_header_bytes + setup.payload.count()) / wqe::segment_bytes);
  if (chunks <= 1) return {};
  return Duration::us(values.get(Param::host_inline_chunk)) * (chunks - 1);
}

struct Post {
  Duration batch, each;  ///< per post call, per request
};

Post post_costs(const Setup& setup, const ParameterValues& values) {
  const double h = host_factor(setup, values);
  const auto each = Duration::us(setup.cost(values, Cost::per_request)) + stores(setup, values);
  return {Duration::us(setup.cost(values, Cost::post)) * h, each * h};
}

void contribute_workers(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  const double h = host_factor(setup, values);
  const auto [post, each] = post_costs(setup, values);
  if (setup.caller_posts) {
    // The call posts a batch before it returns; a request's share of it is its issue time.
    pipeline.path("caller posts", Phase::issue, post / setup.batch + each);
  } else {
    const auto pickup = Duration::us(values.get(Param::proxy_pickup)) * h;
    pipeline.path("worker picks up", Phase::transit, pickup);
    pipeline.path("worker posts", Phase::transit, post + each);
  }
  pipeline.servers(Resource::worker, setup.workers);
  pipeline.work(Resource::worker, each, post);
  if (setup.caller_posts) {
    const auto visit = Duration::us(setup.cost(values, Cost::visit)) * h;
    pipeline.work(Resource::worker, visit / setup.writes_per_visit);
  }

  const double serial =
      setup.shared_refcount ? 1 : std::min(1.0, setup.cost(values, Cost::serial_fraction));
  pipeline.work(Resource::lock, each * serial, post * serial);
  pipeline.tail = Duration::us(values.get(Param::host_tail)) * (h * h);
}

}  // namespace

Duration post_time(const Setup& setup, const ParameterValues& values) {
  const auto [post, each] = post_costs(setup, values);
  return post / setup.batch + each;
}

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (setup.gpu_builds()) return;
  contribute_workers(setup, values, pipeline);
  const auto complete = Duration::us(setup.cost(values, Cost::complete));
  pipeline.path("notice completion", Phase::complete, clock::gpu_time(complete, setup, values));
  if (setup.submitter == Submitter::host) return;

  const auto handoff =
      clock::gpu_time(Duration::us(setup.cost(values, Cost::handoff)), setup, values);
  pipeline.path("hand off descriptor", Phase::issue, handoff);
  pipeline.servers(Resource::submitter, setup.threads);
  const auto store = Duration::us(values.get(Param::gpu_host_store));
  auto stream = std::max(handoff, store);
  if (setup.handoff == Handoff::baseline)
    stream += Duration::us(values.get(Param::gpu_host_exchange)) * (1 - 1 / setup.threads);
  if (setup.window < unlimited) {
    const auto read = Duration::us(values.get(Param::gpu_host_read));
    stream += read / std::max(1.0, setup.window / 2);
    pipeline.path("read progress", Phase::complete, read);
  }
  pipeline.work(Resource::submitter, stream);
  if (setup.handoff == Handoff::baseline) pipeline.path("hand off flag", Phase::receive, handoff);
}

}  // namespace qpcast::proxy
