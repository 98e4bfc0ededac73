// SPDX-License-Identifier: Apache-2.0
// Lower bounds of problems that leave the order of the tasks, or which groups
// are kept, to the planner. Callers use LowerBoundOf (lower_bound.h), which
// includes them.
#ifndef STOWAGE_SRC_BOUNDS_CHOICE_BOUND_H_
#define STOWAGE_SRC_BOUNDS_CHOICE_BOUND_H_

#include <cstddef>
#include <vector>

#include "stowage/lower_bound.h"
#include "stowage/problem.h"

namespace stowage {

// Returns a weight in bytes for each record. Under any order of the tasks, no
// plan is smaller than the sum of the weights of the records that are live at
// one task. A weight is the size of the record, or 0 for a record that may
// share bytes with one that counts: all of a group but the largest, and those
// in a `never` pair with a larger record that counts. O(n log n).
std::vector<size_t> WeightsInAnyOrder(const Problem& problem);

// Returns a bound that holds for every order of the tasks: the largest total
// weight of the records that one task uses, or the end of a fixed record.
// Requires a free order. O(n log n + m log m) for m users and constraints.
LowerBound BoundOfAnyOrder(const Problem& problem);

// Returns a bound that holds for every choice of groups, given the bound `kept`
// that holds if all groups are kept. What follows from the extent of a group
// holds only if that group is kept. But every choice needs the bytes live at a
// task, and those of the largest record. O(n log n) or, with large groups, up
// to O(n * members), cut off at a fixed number of steps; the bound is then
// lower.
LowerBound BoundOfAnyGroups(const Problem& problem, LowerBound kept);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_CHOICE_BOUND_H_
