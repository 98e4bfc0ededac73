// SPDX-License-Identifier: Apache-2.0
// Solves a problem that leaves a choice of groups to the planner, for Solve
// (planner.h): its groups are optional (ProblemSpec::groups_are_optional), or
// some may become one, since their records may lie in one place
// (Constraints::same_or_apart).
//
// A *loosened* group keeps together only records that occupy the same bytes of
// the group. If all its records occupy the same bytes, loosening dissolves it.
// The search tries these choices, and stops when a plan is as small as
// possible:
//
//   1. all groups;
//   2. one group after the other loosened, the largest first; a change that
//      makes the plan smaller is kept;
//   3. all groups loosened to records that occupy the same bytes;
//   4. no groups.
//
// In each of them all pairs of same_or_apart are united that can be, those that
// save the most bytes of copies first (src/bounds/unions.h). The choice of
// pairs follows (union_choice.h):
//
//   1. one after the other left out, and then all of them; a change that makes
//      the plan smaller is kept;
//   2. those that were left out put back, one after the other; a change that
//      makes the plan no larger is kept;
//   3. for a strategy that searches, all choices that may be better, if there
//      are few.
//
// The result is the smallest plan, and among equal plans the one with more
// groups, or with fewer bytes to copy.
#ifndef STOWAGE_SRC_PLAN_GROUP_CHOICE_H_
#define STOWAGE_SRC_PLAN_GROUP_CHOICE_H_

#include <cstddef>

#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

struct GroupChoice {
  // The solution with the smallest plan; `places` has the groups that it keeps.
  // Its status and bound hold for all choices: kOptimal if no choice of groups
  // has a smaller plan, kInfeasible if no choice has a plan.
  Solution solution;
  size_t problems = 0;  // the number of problems that were solved
};

// The maximum number of groups that are loosened one by one.
inline constexpr size_t kMaxGroupsLoosened = 64;

// Returns the smallest plan that was found; if there are costs, plans are
// compared by cost first. If the strategy does not support groups, only the
// choices that it can plan count. No further choice is tried once a plan is as
// small as AlignedLowerBound. Without pairs of same_or_apart at most
// kMaxGroupsLoosened + 4 problems are solved.
//
// All problems share the time limit and the node budget: each gets half of what
// is left. If there is a plan when the time limit is reached, no further
// problem is begun, even with a node budget. With a node budget and an
// unlimited time, the plan is the same on every machine. Progress is reported
// for the first problem only. Errors: those of Solve.
StatusOr<GroupChoice> ChooseGroups(const Problem& problem,
                                   const Strategy& strategy,
                                   const SolveOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_GROUP_CHOICE_H_
