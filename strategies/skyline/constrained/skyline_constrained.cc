// SPDX-License-Identifier: Apache-2.0
#include "skyline/constrained/skyline_constrained.h"

#include "src/construct/construct_plan.h"
#include "src/model/watch.h"

namespace stowage::skyline {

StatusOr<Solution> SolveConstrained(const Problem& problem,
                                    const SolveOptions& options) {
  // The observer can stop the choice of pools, which may take seconds. The time
  // limit cannot stop it, since the plan would then depend on the machine.
  SolveOptions watched = options;
  watched.time_limit_ns = kNoTimeLimit;
  const Watch watch(watched);
  return rigid::ConstructPlan(problem, watch.SignalAfter());
}

}  // namespace stowage::skyline
