// SPDX-License-Identifier: Apache-2.0
#include "skyline/constrained/skyline_constrained.h"

#include "src/base/work_limit.h"
#include "src/construct/construct_plan.h"
#include "src/model/watch.h"

namespace stowage::skyline {

StatusOr<Solution> SolveConstrained(const Problem& problem,
                                    const SolveOptions& options) {
  // Only the choice of pools is a search. All other plans are the same whatever
  // the limits are.
  if (problem.constraints()->pools.empty()) {
    return rigid::ConstructPlan(problem, StopSignal());
  }
  const Watch watch(options);
  return rigid::ConstructPlan(problem, watch.SignalAfter());
}

}  // namespace stowage::skyline
