// SPDX-License-Identifier: Apache-2.0
#include "optimal/constrained/optimal_constrained.h"

#include <cstdint>

#include "optimal/constrained/constrained_search.h"
#include "src/bounds/rigid_groups.h"

namespace stowage::optimal {

StatusOr<Solution> SolveConstrained(const Problem& problem,
                                    const SolveOptions& options) {
  const uint32_t pool =
      problem.constraints()->pools.empty() ? 0 : rigid::kNoPool;
  const auto all = rigid::AllRecordsOf(problem);
  if (!rigid::RigidGroups::Make(problem, all, pool)) {
    return rigid::LevelsOverflow();
  }
  return ConstrainedSearch(problem, options).Run();
}

}  // namespace stowage::optimal
