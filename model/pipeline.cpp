#include "model/pipeline.hpp"

#include "model/mechanisms/backlog.hpp"
#include "model/mechanisms/batching.hpp"
#include "model/mechanisms/completion.hpp"
#include "model/mechanisms/connection_cache.hpp"
#include "model/mechanisms/cpu_assisted.hpp"
#include "model/mechanisms/dc.hpp"
#include "model/mechanisms/inline_data.hpp"
#include "model/mechanisms/library_overhead.hpp"
#include "model/mechanisms/memory_geography.hpp"
#include "model/mechanisms/nic_engine.hpp"
#include "model/mechanisms/paced_nic.hpp"
#include "model/mechanisms/proxy.hpp"
#include "model/mechanisms/publication.hpp"
#include "model/mechanisms/sm_contention.hpp"
#include "model/mechanisms/software_nic.hpp"
#include "model/mechanisms/submission.hpp"
#include "model/mechanisms/wire.hpp"
#include "model/mechanisms/wqe.hpp"
#include "model/setup.hpp"

namespace qpcast {

const char* resource_name(Resource resource) {
  static constexpr std::array names{"submitter",         "queue pair", "proxy worker",
                                    "shared host state", "NIC engine", "wire"};
  return names.at(static_cast<std::size_t>(resource));
}

Pipeline build_pipeline(const Setup& setup, const ParameterValues& values) {
  Pipeline pipeline;
  batching::contribute(setup, pipeline);
  library_overhead::contribute(setup, values, pipeline);
  submission::contribute(setup, values, pipeline);
  inline_data::contribute(setup, values, pipeline);
  proxy::contribute(setup, values, pipeline);
  cpu_assisted::contribute(setup, values, pipeline);
  memory_geography::contribute(setup, values, pipeline);
  wire::contribute(setup, values, pipeline);
  nic_engine::contribute(setup, values, pipeline);
  software_nic::contribute(setup, values, pipeline);
  paced_nic::contribute(setup, values, pipeline);
  connection_cache::contribute(setup, values, pipeline);
  dc::contribute(setup, values, pipeline);
  // These build on what the others contributed: contention scales what a stream builds, before
  // publication adds the sections that it waits for.
  wqe::contribute(setup, values, pipeline);
  sm_contention::contribute(setup, values, pipeline);
  publication::contribute(setup, values, pipeline);
  completion::contribute(setup, values, pipeline);
  backlog::contribute(setup, values, pipeline);
  pipeline.population = setup.threads * setup.window;
  if (setup.caller_posts) pipeline.chain = setup.batch;
  return pipeline;
}

}  // namespace qpcast
