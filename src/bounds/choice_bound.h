// SPDX-License-Identifier: Apache-2.0
// Computes lower bounds of problems that leave a choice to the planner: the
// order of the tasks, which groups are kept, or which pairs lie in one place.
// Callers use LowerBoundOf (lower_bound.h), which includes these bounds.
#ifndef STOWAGE_SRC_BOUNDS_CHOICE_BOUND_H_
#define STOWAGE_SRC_BOUNDS_CHOICE_BOUND_H_

#include <cstddef>
#include <vector>

#include "stowage/lower_bound.h"
#include "stowage/problem.h"

namespace stowage {

// Returns a weight in bytes for each record. Under any order of the tasks, no
// plan is smaller than the sum of the weights of the records that are live at
// one task. The weight is the size of the record, or 0 if the record may share
// bytes with a record that is counted. Two kinds of records have the weight 0:
// all records of a group but the largest, and those in a `never` pair with a
// larger record whose weight is not 0. O(n log n).
std::vector<size_t> WeightsInAnyOrder(const Problem& problem);

// Returns a bound that holds for every order of the tasks: the largest total
// weight of the records that one task uses, or the highest end of a fixed
// record if that is larger. Requires a free order. O(n log n + m log m) for m
// users and constraints.
LowerBound BoundOfAnyOrder(const Problem& problem);

// Returns a bound that holds for every choice of groups. `kept` is a bound that
// holds if all groups are kept. If the proof of `kept` names a task, `kept`
// holds for every choice and is returned. Otherwise `kept` may follow from the
// extent of a group, and hold only if that group is kept. The result is then
// the smaller one of `kept` and the bytes that every choice needs: the bytes
// live at a task, or the bytes of the largest record. O(n log n) or, with large
// groups, up to O(n * members). This time is limited to a fixed number of
// steps; if the limit is reached, the bound is lower.
LowerBound BoundOfAnyGroups(const Problem& problem, LowerBound kept);

// Returns a bound that holds whichever pairs of Constraints::same_or_apart lie
// in one place: the bound of RelaxUnions (unions.h). Among the records that are
// live together, this bound counts only records of which no two may be united.
LowerBound BoundOfAnyUnions(const Problem& problem);

// Returns the result of AlignedLowerBound (lower_bound.h) for a problem with
// constraints.
size_t AlignedBoundUnderConstraints(const Problem& problem);

// Returns the result of LowerBoundOf for a problem with constraints or a free
// order.
LowerBound BoundWithChoices(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_CHOICE_BOUND_H_
