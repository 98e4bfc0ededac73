// SPDX-License-Identifier: Apache-2.0
// Finds plans under constraints by a complete search (constrained_search.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_OPTIMAL_CONSTRAINED_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_OPTIMAL_CONSTRAINED_H_

#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

// Requires problem.constraints().
StatusOr<Solution> SolveConstrained(const Problem& problem,
                                    const SolveOptions& options);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_OPTIMAL_CONSTRAINED_H_
