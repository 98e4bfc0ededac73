// SPDX-License-Identifier: Apache-2.0
// Solves a problem that leaves a choice of groups to the planner, for Solve
// (planner.h). In such a problem, the groups are optional
// (ProblemSpec::groups_are_optional), or some groups may be united because
// their records may lie in one place (Constraints::same_or_apart).
//
// A *loosened* group keeps together only records that occupy the same bytes of
// the group. If all its records occupy the same bytes, loosening dissolves the
// group. The search tries the following choices, and stops when a plan is as
// small as possible:
//
//   1. all groups;
//   2. one group after the other loosened, the largest first; a change that
//      makes the plan smaller is kept;
//   3. all groups loosened to records that occupy the same bytes;
//   4. no groups.
//
// Each of these choices is tried after uniting all pairs of same_or_apart that
// can be united. Pairs that save the most bytes of copies come first
// (src/bounds/unions.h). Afterwards the search chooses pairs (union_choice.h):
//
//   1. It leaves out one pair after the other, and then all of them. It keeps a
//      change that makes the plan smaller.
//   2. It puts back the pairs that were left out, one after the other. It keeps
//      a change that makes the plan no larger.
//   3. If the strategy searches, it tries all choices that may be better,
//      unless there are too many.
//
// The result is the smallest plan. Among equal plans, it is the one with more
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
  // The solution with the smallest plan. Its field `places` has the groups that
  // were chosen for this plan. The status and the bound hold for all choices:
  // kOptimal if no choice of groups has a smaller plan, kInfeasible if no
  // choice has a plan.
  Solution solution;
  size_t problems = 0;  // the number of problems that were solved
};

// The maximum number of groups that are loosened one by one.
inline constexpr size_t kMaxGroupsLoosened = 64;

// Returns the smallest plan that was found; if there are costs, plans are
// compared by cost first. If the strategy does not support groups, the choices
// that it cannot plan are skipped. No further choice is tried once a plan is as
// small as AlignedLowerBound. Without pairs of same_or_apart, at most
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
