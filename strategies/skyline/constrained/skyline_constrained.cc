// SPDX-License-Identifier: Apache-2.0
#include "skyline/constrained/skyline_constrained.h"

#include "src/construct/construct_plan.h"

namespace stowage::skyline {

StatusOr<Solution> SolveConstrained(const Problem& problem,
                                    const SolveOptions& /*options*/) {
  return rigid::ConstructPlan(problem);
}

}  // namespace stowage::skyline
