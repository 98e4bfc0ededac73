// SPDX-License-Identifier: Apache-2.0
// Applies the choice of groups of a solution to its problem. To choose groups
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
// of groups. Error: InvalidArgument if a group consists neither of a part of
// one group of the problem, with the same distances, nor of such parts and
// single records that pairs of same_or_apart permit to be one group (unions.h);
// members of a group may share bytes. O(n log n) and, if there are such pairs,
// the time to compare the groups that become one.
StatusOr<ProblemSpec> KeepGroups(const Problem& problem,
                                 const std::vector<RecordPlace>& places);

// Returns the groups of a problem with those united whose records lie in one
// place in this plan and are a pair of same_or_apart. Requires such pairs, and
// an offset for every record. O(n log n), and the time to compare these groups.
std::vector<RecordPlace> PlacesOfPlan(const Problem& problem,
                                      const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_KEPT_GROUPS_H_
