// SPDX-License-Identifier: Apache-2.0
// Plans a problem whose groups are optional: the records of a group are kept at
// fixed distances from each other only if that makes the plan smaller, or at
// least not larger. If the groups are an obligation, as in a Problem, use Solve
// (planner.h).
//
//   spec.constraints.places = shared.places;   // tflite/sharing.h, say
//   const absl::StatusOr<GroupChoice> choice = ChooseGroups(spec, "skyline");
//   if (!choice.ok()) return choice.status();
//   const OffsetsAssignment& plan = *choice->solution.offsets();
//
// The search tries all groups; then it loosens one group after the other, the
// largest first, and keeps each change that makes the plan smaller; then it
// tries only groups of records that occupy the same bytes of a group; and at
// last no group at all. The smallest plan wins, and among equal ones the one
// with more groups. To loosen a group is to keep together only the records that
// occupy the same bytes of it; if that is the whole group, it is dissolved.
#ifndef STOWAGE_GROUP_CHOICE_H_
#define STOWAGE_GROUP_CHOICE_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

struct GroupChoice {
  // The solution with the smallest plan. Its status and bound hold for all
  // choices: kOptimal if no choice of groups has a smaller plan, kInfeasible if
  // no choice has a plan.
  Solution solution;
  // The places with the groups that were kept, to replace those of the problem:
  // the plan is one of the problem with these places. Empty if they constrain
  // nothing.
  std::vector<RecordPlace> places;
  size_t problems = 0;  // the number of problems that were solved
  // Bytes: no choice of groups has a smaller plan. It may be above the bound of
  // the solution, which does not count what alignment costs.
  size_t least_bytes = 0;
};

// The maximum number of groups that are loosened one by one.
inline constexpr size_t kMostGroupsLoosened = 64;

// Returns the smallest plan that was found; if there are costs, plans are
// compared by cost first. If the strategy does not support groups, only the
// choices that it can plan count. As soon as a plan is as small as the aligned
// bytes that are live at some task, nothing else is tried. The time limit and
// the node budget are those of all problems together: each problem gets half of
// what is left. Once there is a plan and the time is over, no further problem
// is begun, even with a node budget. With a node budget and an unlimited time,
// the plan is the same on every machine. Progress is reported for the first
// problem only. Errors: those of Problem::Create and Solve. Solves
// kMostGroupsLoosened + 4 problems at most.
absl::StatusOr<GroupChoice> ChooseGroups(ProblemSpec spec,
                                         absl::string_view strategy,
                                         const SolveOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_GROUP_CHOICE_H_
