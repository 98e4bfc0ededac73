// SPDX-License-Identifier: Apache-2.0
// Applies the choice of groups of a solution to its problem. To choose groups
// use group_choice.h.
#ifndef STOWAGE_SRC_PLAN_KEPT_GROUPS_H_
#define STOWAGE_SRC_PLAN_KEPT_GROUPS_H_

#include <vector>

#include "stowage/base/status.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"

namespace stowage {

// Replaces the groups of the problem by the groups of `places`, which is
// Solution::places of a solution. Ranges of records remain as the problem has
// them. Groups are numbered in the order of their first records, and keep the
// names that the problem gives them. Error: InvalidArgument if a group is not a
// part of one group of the problem, or if two of its records have another
// distance than in the problem, since members of a group may share bytes. O(n).
Status KeepGroups(const std::vector<RecordPlace>& places, ProblemSpec* spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_KEPT_GROUPS_H_
