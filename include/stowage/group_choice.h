// SPDX-License-Identifier: Apache-2.0
// Plans a problem whose groups are a choice: records that may move as one body,
// where that makes the plan smaller, or at least not larger. Where groups are
// an obligation, as in a Problem, use Solve (planner.h).
//
//   spec.constraints.places = shared.places;   // tflite/sharing.h, say
//   const absl::StatusOr<GroupChoice> choice = ChooseGroups(spec, "skyline");
//   if (!choice.ok()) return choice.status();
//   const OffsetsAssignment& plan = *choice->solution.offsets();
//
// Tried are all groups; all but what loosening one after the other is worth,
// the largest first; only records that have the same bytes of a group; and no
// group at all. The smallest plan wins, of equal ones that with more groups. To
// loosen a group is to keep together what has the same bytes of it or, where
// that is all of it, nothing.
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
  // Its status and bound are those of all choices: kOptimal if no choice of
  // groups has a smaller plan, kInfeasible if none has a plan.
  Solution solution;
  // In place of those of the problem, with the groups that were kept: the plan
  // is one of the problem with these. Empty if they say nothing.
  std::vector<RecordPlace> places;
  size_t problems = 0;  // that were solved
};

// Groups that are loosened one by one, at most.
inline constexpr size_t kMostGroupsLoosened = 64;

// The smallest plan that was found, by cost where there are costs. Strategies
// that know no groups plan what they can. As soon as a plan is as small as the
// bytes that are live at some task, nothing else is tried. The time limit is
// that of all problems together, the node budget that of each; the progress is
// that of the first. Errors: those of Problem::Create and Solve. Solves
// kMostGroupsLoosened + 4 problems at most.
absl::StatusOr<GroupChoice> ChooseGroups(ProblemSpec spec,
                                         absl::string_view strategy,
                                         const SolveOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_GROUP_CHOICE_H_
