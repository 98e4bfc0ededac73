// SPDX-License-Identifier: Apache-2.0
#include "greedy_by_size/constrained/greedy_by_size_constrained.h"

#include "src/construct/construct_plan.h"

namespace stowage::greedy_by_size {

StatusOr<Solution> SolveConstrained(const Problem& problem,
                                    const SolveOptions& /*options*/) {
  return rigid::PlaceLargestFirst(problem);
}

}  // namespace stowage::greedy_by_size
