/// The experiments. Each adds its points to the plan, and says what it cannot run and why.
#pragma once

#include "hw/experiments/plan.hpp"

namespace qpcast::hw::experiments {

void single_operation(const Scope& scope, Plan& plan);
void inline_sweep(const Scope& scope, Plan& plan);
void completion_scope(const Scope& scope, Plan& plan);
void batching(const Scope& scope, Plan& plan);
void queues(const Scope& scope, Plan& plan);
void publication(const Scope& scope, Plan& plan);
void threads_per_sm(const Scope& scope, Plan& plan);
void proxy_shape(const Scope& scope, Plan& plan);
void handoff(const Scope& scope, Plan& plan);
void loaded_round_trip(const Scope& scope, Plan& plan);
void payload_sweep(const Scope& scope, Plan& plan);
void connection_sweep(const Scope& scope, Plan& plan);
void dc(const Scope& scope, Plan& plan);
void sm_clock(const Scope& scope, Plan& plan);
void host_state(const Scope& scope, Plan& plan);

}  // namespace qpcast::hw::experiments
