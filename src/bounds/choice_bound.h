// SPDX-License-Identifier: Apache-2.0
// Bounds what is left to the planner: the order of the tasks, and which groups
// are kept. For LowerBoundOf (lower_bound.h).
#ifndef STOWAGE_SRC_BOUNDS_CHOICE_BOUND_H_
#define STOWAGE_SRC_BOUNDS_CHOICE_BOUND_H_

#include <cstddef>
#include <vector>

#include "stowage/lower_bound.h"
#include "stowage/problem.h"

namespace stowage {

// Returns a weight in bytes for each record: for every order of the tasks, no
// plan is smaller than the sum of the weights of the records that are live at a
// task. In each group only the largest record counts. Of records that may share
// bytes because of a `never` pair, a record counts if no larger one of its
// partners counts. O(n log n).
std::vector<size_t> WeightsInAnyOrder(const Problem& problem);

// Returns a bound that holds for every order of the tasks: the most bytes of
// records that one task uses, or the end of a fixed record. Requires a free
// order. O(users + constraints).
LowerBound BoundOfAnyOrder(const Problem& problem);

// Returns a bound that holds for every choice of groups, given `kept`, the
// bound if all are kept. A bound that follows from the extent of a group holds
// only if that group is kept; the bytes live at a task, and those of a single
// record, are needed for any choice. O(n log n), for large groups O(n * their
// members) up to a limit, beyond which the bound is lower.
LowerBound BoundOfAnyGroups(const Problem& problem, LowerBound kept);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_CHOICE_BOUND_H_
