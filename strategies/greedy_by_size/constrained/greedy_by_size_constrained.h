// SPDX-License-Identifier: Apache-2.0
// Makes plans under constraints: places the largest groups first, each at its
// lowest feasible offset.
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_SIZE_CONSTRAINED_GREEDY_BY_SIZE_CONSTRAINED_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_SIZE_CONSTRAINED_GREEDY_BY_SIZE_CONSTRAINED_H_

#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::greedy_by_size {

// Requires problem.constraints().
StatusOr<Solution> SolveConstrained(const Problem& problem,
                                    const SolveOptions& options);

}  // namespace stowage::greedy_by_size

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_SIZE_CONSTRAINED_GREEDY_BY_SIZE_CONSTRAINED_H_
