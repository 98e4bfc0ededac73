// SPDX-License-Identifier: Apache-2.0
// Plans problems with constraints by constructing plans in several ways.
#ifndef STOWAGE_STRATEGIES_SKYLINE_CONSTRAINED_SKYLINE_CONSTRAINED_H_
#define STOWAGE_STRATEGIES_SKYLINE_CONSTRAINED_SKYLINE_CONSTRAINED_H_

#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::skyline {

// Requires problem.constraints().
StatusOr<Solution> SolveConstrained(const Problem& problem,
                                    const SolveOptions& options);

}  // namespace stowage::skyline

#endif  // STOWAGE_STRATEGIES_SKYLINE_CONSTRAINED_SKYLINE_CONSTRAINED_H_
