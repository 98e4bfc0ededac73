// SPDX-License-Identifier: Apache-2.0
// A plan under constraints by construction alone, for strategies that do not
// search: the best of many ways (ConstructBodies) or one.
#ifndef STOWAGE_BODIES_CONSTRUCT_PLAN_H_
#define STOWAGE_BODIES_CONSTRUCT_PLAN_H_

#include "absl/status/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::bodies {

// The best of many plans; without a plan (kTimeLimit) if ranges or capacities
// of pools leave room for none of them, which proves nothing. Pools are chosen
// by what is live together. Error: ResourceExhausted above 2^60 bytes.
absl::StatusOr<Solution> ConstructPlan(const Problem& problem);

// The largest bodies first, each at the lowest place where it shares no byte
// with those before. Requires a problem without pools. As ConstructPlan
// otherwise; ResourceExhausted for too many conflicts, too.
absl::StatusOr<Solution> PlaceLargestFirst(const Problem& problem);

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_CONSTRUCT_PLAN_H_
