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
// of groups. A group of `places` is valid in two cases. Either it is a part of
// one group of the problem, and the distances between its members are the same
// as there. Or it consists of such parts and of single records, and pairs of
// same_or_apart permit uniting these (unions.h). Members of a group may share
// bytes. Error: InvalidArgument if a group is not valid. O(n log n) and, if
// there are such pairs, the time to compare the groups that are united.
StatusOr<ProblemSpec> KeepGroups(const Problem& problem,
                                 const std::vector<RecordPlace>& places);

// Returns the groups of a problem after uniting some of them. If `plan` puts
// both records of a same_or_apart pair in one place, the groups of these
// records become one. Requires such pairs, and an offset for every record.
// O(n log n), and the time to compare these groups.
std::vector<RecordPlace> PlacesOfPlan(const Problem& problem,
                                      const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_KEPT_GROUPS_H_
