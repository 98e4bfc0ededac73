// SPDX-License-Identifier: Apache-2.0
// Makes a plan under constraints by construction alone, for strategies that do
// not search: the best of several ways (ConstructBodies), or one way.
#ifndef STOWAGE_SRC_CONSTRUCT_CONSTRUCT_PLAN_H_
#define STOWAGE_SRC_CONSTRUCT_CONSTRUCT_PLAN_H_

#include "absl/status/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::bodies {

// Returns the best of several plans; no plan (kTimeLimit) if ranges or
// capacities of pools leave no room for any of them, which does not prove that
// there is no plan. Pools are selected by the bytes that are live together.
// Error: ResourceExhausted above 2^60 bytes.
absl::StatusOr<Solution> ConstructPlan(const Problem& problem);

// Places the largest groups first, each at the lowest offset at which it shares
// no byte with earlier ones that it conflicts with. Requires a problem without
// pools. Results are otherwise those of ConstructPlan; also ResourceExhausted
// if there are too many conflicts.
absl::StatusOr<Solution> PlaceLargestFirst(const Problem& problem);

}  // namespace stowage::bodies

#endif  // STOWAGE_SRC_CONSTRUCT_CONSTRUCT_PLAN_H_
