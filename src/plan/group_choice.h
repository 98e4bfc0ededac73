// SPDX-License-Identifier: Apache-2.0
// Solves a problem in which the planner chooses the groups, for Solve
// (planner.h). In such a problem, either the groups are optional
// (ProblemSpec::groups_are_optional), or some groups may be united because
// their records may share one place (Constraints::same_or_apart).
//
// A contradiction that no choice avoids is looked for first, in a relaxation in
// which everything that may be united may share bytes.
//
// *Loosening* a group keeps together only those of its records that occupy the
// same bytes of the group. If all records of a group occupy the same bytes,
// loosening dissolves the group. The search tries the following choices, and
// stops as soon as a plan is as small as possible:
//
//   1. all groups;
//   2. groups loosened one after another, the largest first, keeping each
//      change that makes the plan smaller;
//   3. all groups loosened;
//   4. no groups.
//
// Each of these choices is tried after uniting all same_or_apart pairs that can
// be united, starting with the pairs that save the most copied bytes
// (src/bounds/unions.h). Afterwards the search chooses pairs (union_choice.h):
//
//   1. It leaves out one pair after another, and then all pairs. It keeps each
//      change that makes the plan smaller.
//   2. It puts back the omitted pairs, one after another. It keeps each change
//      that does not make the plan larger.
//   3. If the strategy searches, it tries all choices that may be better,
//      unless there are too many.
//
// The result is the smallest plan. Among plans of equal size, it is the one
// with more groups, or with fewer bytes to copy.
#ifndef STOWAGE_SRC_PLAN_GROUP_CHOICE_H_
#define STOWAGE_SRC_PLAN_GROUP_CHOICE_H_

#include <cstddef>

#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

struct GroupChoice {
  // The solution with the smallest plan. Its field `places` has the groups that
  // were chosen for this plan. The status and the bound hold for all choices:
  // kOptimal means that no choice of groups has a smaller plan, and kInfeasible
  // means that no choice has a plan.
  Solution solution;
  size_t problems = 0;  // the number of problems that were solved
};

// The maximum number of groups that are loosened one by one.
inline constexpr size_t kMaxGroupsLoosened = 64;

// Returns the smallest plan that was found; if there are costs, plans are
// compared by cost first. If the strategy does not support groups, skips the
// choices that the strategy cannot plan. Tries no further choice once a plan is
// as small as AlignedLowerBound. Without same_or_apart pairs, solves at most
// kMaxGroupsLoosened + 4 problems.
//
// All problems share the time limit and the node budget: each problem may use
// half of what remains. If there is a plan when the time limit is reached, no
// further problem is begun, even with a node budget. With a node budget and no
// time limit, the plan is the same on every machine. Progress is reported for
// the first problem only. Errors: those of Solve.
StatusOr<GroupChoice> ChooseGroups(const Problem& problem,
                                   const Strategy& strategy,
                                   const SolveOptions& options);

// Returns a contradiction that no choice avoids, if one is found: a
// contradiction in a relaxation in which records may share any bytes if they
// may be in one group or place.
optional<Solution> ContradictionOfAllChoices(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_GROUP_CHOICE_H_
