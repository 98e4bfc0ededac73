// SPDX-License-Identifier: Apache-2.0
// Applies the groups that were chosen for a solution to its problem. To choose
// groups, use group_choice.h.
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
// Solution::places of a solution. Keeps the ranges of the records. Groups are
// numbered in the order of their first records, and keep the names that they
// have in the problem. Returns the spec, which leaves no choice of groups: the
// groups are not optional, and there are no same_or_apart pairs.
//
// A group of `places` is valid in two cases:
// - It is a part of one group of the problem, and the distances between its
//   members are the same in both groups.
// - It consists of such parts and of single records, and the same_or_apart
//   pairs permit uniting them (unions.h).
//
// Members of a group may share bytes. Errors: InvalidArgument if a group is not
// valid. O(n log n), plus the time to compare the groups that are united if
// there are same_or_apart pairs.
StatusOr<ProblemSpec> KeepGroups(const Problem& problem,
                                 const std::vector<RecordPlace>& places);

// Returns the groups of a problem after uniting some of them: if `plan` assigns
// both records of a same_or_apart pair to one place, their groups are united.
// Requires same_or_apart pairs, and an offset for every record. O(n log n),
// plus the time to compare the united groups.
std::vector<RecordPlace> PlacesOfPlan(const Problem& problem,
                                      const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_KEPT_GROUPS_H_
