#include "model/mechanisms/backlog.hpp"

#include <algorithm>
#include <cmath>

namespace qpcast::backlog {

namespace {

Backlog gpu_backlog(const Setup& setup) {
  const double window = std::isinf(setup.window) ? 1 : setup.window;
  const double outstanding = setup.threads * window;
  switch (setup.queue) {
    case Queue::shared:
      return {outstanding, 1};
    case Queue::shared_with_one:
      return {outstanding / setup.background_ctas, 1 / setup.background_ctas};
    case Queue::private_queue:
      return {0, 1};
  }
  return {};
}

Backlog proxy_backlog(const Setup& setup, const ParameterValues& values) {
  const double per_cta = std::isinf(setup.window) ? values.get(Param::backlog_window)
                                                  : setup.window / setup.background_ctas;
  switch (setup.queue) {
    case Queue::shared:
      return {setup.background_ctas * per_cta, 1};
    case Queue::shared_with_one:
      return {per_cta, 1 / setup.background_ctas};
    case Queue::private_queue:
      return {values.get(Param::backlog_worker_window), 1 / setup.workers};
  }
  return {};
}

}  // namespace

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  pipeline.loaded = setup.background_ctas > 0;
  if (!pipeline.loaded) return;
  pipeline.backlog = setup.gpu_builds() ? gpu_backlog(setup) : proxy_backlog(setup, values);
  pipeline.backlog.one_way = !setup.gpu_builds() && !std::isinf(setup.window);
}

Duration wait(const Pipeline& pipeline, Rate carried) {
  if (!pipeline.loaded || pipeline.backlog.messages <= 0) return {};
  return messages(pipeline.backlog.messages).count *
         (carried * pipeline.backlog.share_of_rate).interval();
}

}  // namespace qpcast::backlog
