// SPDX-License-Identifier: Apache-2.0
// Makes plans under constraints by construction only, for strategies that do
// not search. A search that needs a first plan uses ConstructGroups
// (construct_groups.h).
#ifndef STOWAGE_SRC_CONSTRUCT_CONSTRUCT_PLAN_H_
#define STOWAGE_SRC_CONSTRUCT_CONSTRUCT_PLAN_H_

#include "src/base/work_limit.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::rigid {

// Returns the best of several plans. Returns a Solution without a plan
// (kTimeLimit) if, in every attempt, some record has no place in its range or
// some pool exceeds its capacity; this does not prove that no plan exists.
// Records are assigned to pools by the number of bytes that are live at the
// same time. The signal stops only the choice of pools: once it is set, a few
// quick choices are still tried. Error: ResourceExhausted if sizes and places
// sum to more than 2^60 bytes.
StatusOr<Solution> ConstructPlan(const Problem& problem,
                                 const StopSignal& stop);

// Places the largest groups first, each at the lowest offset at which it shares
// no byte with a conflicting group that has already been placed. Requires a
// problem without pools. Returns a Solution without a plan (kTimeLimit) if a
// group has no such offset. Errors: ResourceExhausted if sizes and places sum
// to more than 2^60 bytes, or if there are too many conflicts.
StatusOr<Solution> PlaceLargestFirst(const Problem& problem);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_CONSTRUCT_CONSTRUCT_PLAN_H_
