// SPDX-License-Identifier: Apache-2.0
// Computes lower bounds of problems that leave a choice to the planner: the
// order of the tasks, the groups to keep, or the pairs that share one place.
// Callers use LowerBoundOf (lower_bound.h), which includes these bounds.
#ifndef STOWAGE_SRC_BOUNDS_CHOICE_BOUND_H_
#define STOWAGE_SRC_BOUNDS_CHOICE_BOUND_H_

#include <cstddef>
#include <vector>

#include "stowage/lower_bound.h"
#include "stowage/problem.h"

namespace stowage {

// Returns a weight in bytes for each record. Under any order of the tasks and
// at any task, the weights of the live records sum to a lower bound of the size
// of the plan. The weight of a record is its size, or 0 if the record may share
// bytes with a record that is counted. Two kinds of records have weight 0: all
// records of a group but the largest one, and every record that is in a `never`
// pair with a larger record of nonzero weight. O(n log n).
std::vector<size_t> WeightsInAnyOrder(const Problem& problem);

// Returns a bound that holds for every order of the tasks: the largest total
// weight of the records that one task uses, or the highest end of a fixed
// record, whichever is larger. Requires a free order. O(n log n + m log m) for
// m users and constraints.
LowerBound BoundOfAnyOrder(const Problem& problem);

// Returns a bound that holds for every choice of groups. `kept` is a bound that
// holds if all groups are kept. If the proof of `kept` names a task, `kept`
// holds for every choice, and is returned. Otherwise, `kept` may be the extent
// of a group and may thus hold only if that group is kept. The result is then
// the minimum of `kept` and the bytes that every choice needs: the bytes that
// are live at a task, or the size of the largest record. O(n log n) or, with
// large groups, up to O(n * members). The number of steps is limited; if the
// limit is reached, the bound is lower.
LowerBound BoundOfAnyGroups(const Problem& problem, LowerBound kept);

// Returns a bound that holds no matter which pairs of
// Constraints::same_or_apart share one place: the bound of RelaxUnions
// (unions.h). Among the records that are live together, this bound counts only
// records of which no two may be united.
LowerBound BoundOfAnyUnions(const Problem& problem);

// Computes AlignedLowerBound (lower_bound.h) for a problem with constraints.
size_t AlignedBoundUnderConstraints(const Problem& problem);

// Computes LowerBoundOf for a problem with constraints or a free order.
LowerBound BoundWithChoices(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_CHOICE_BOUND_H_
