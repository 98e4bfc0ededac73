// SPDX-License-Identifier: Apache-2.0
// Applies the choice of groups of a solution to its problem. To choose groups,
// use group_choice.h.
#ifndef STOWAGE_SRC_PLAN_KEPT_GROUPS_H_
#define STOWAGE_SRC_PLAN_KEPT_GROUPS_H_

#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"

namespace stowage {

// Replaces the groups of a problem by the groups of `places`, which is
// Solution::places of a solution. Ranges of records remain as the problem has
// them. Groups are numbered in the order of their first records, and keep the
// names that the problem gives them. Returns the spec, which leaves no choice
// of groups. A group of `places` is valid if it is a part of one group of the
// problem, with the same distances between its members, or if it consists of
// such parts and single records that pairs of same_or_apart permit to be one
// group (unions.h). Members of a group may share bytes. Error: InvalidArgument
// if a group is not valid. O(n log n) and, if there are such pairs, the time to
// compare the groups that are united.
StatusOr<ProblemSpec> KeepGroups(const Problem& problem,
                                 const std::vector<RecordPlace>& places);

// Returns the groups of a problem after uniting groups: if both records of a
// pair of same_or_apart lie in one place in `plan`, the groups of both records
// become one. Requires such pairs, and an offset for every record. O(n log n),
// and the time to compare these groups.
std::vector<RecordPlace> PlacesOfPlan(const Problem& problem,
                                      const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_KEPT_GROUPS_H_
