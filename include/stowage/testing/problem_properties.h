// SPDX-License-Identifier: Apache-2.0
// The properties of plans of problems with constraints, and the search for a
// problem for which one does not hold. For planners of records alone use
// properties.h and find_failure.h.
//
//   SearchForProblem search;
//   // The features that the planner claims.
//   search.parameters.features = {Feature::kPlaces, Feature::kGroups};
//   if (auto failure = FindFailure(planner, search)) {
//     std::cerr << failure->property << ": " << failure->status << "\n";
//   }
//
// A planner is given only problems with the features that it claims. For a
// planner that is a separate program see check_planner.h.
#ifndef STOWAGE_TESTING_PROBLEM_PROPERTIES_H_
#define STOWAGE_TESTING_PROBLEM_PROPERTIES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "stowage/assignment.h"
#include "stowage/feature.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/shrink.h"

namespace stowage::testing {

// Plans a problem of offsets. The results are those of PlanFn (plan_fn.h).
using ProblemPlanFn =
    std::function<absl::StatusOr<OffsetsAssignment>(const Problem& problem)>;

// Returns a registered strategy, as Solve (planner.h) runs it. A problem for
// which it has no plan, feasible or not, is OutOfRange.
ProblemPlanFn StrategyProblemPlanFn(std::string strategy,
                                    SolveOptions options = {});

// A statement that holds for a planner and any problem.
struct ProblemProperty {
  absl::string_view name;      // "groups"
  absl::string_view sentence;  // what holds
  // Checks a problem as Property::check does records. Errors: those of
  // Property::check; InvalidArgument if the instance is not a valid problem.
  absl::Status (*check)(const ProblemPlanFn& planner, const Instance& instance);
};

// The properties of every planner that claims these features:
//   problem_completeness  a problem that IsPlannable has a plan
//   fixed_offsets, places, groups, apart, pools, partial_order
//                         of those that are claimed: the verifier finds no
//                         violation of theirs
//   problem_safety        nor any other
//   problem_determinism   the same problem has the same plan
//   problem_reversal      the plan of a problem with time reversed is one of
//                         the problem
//   problem_relabelling   so is that with records, tasks and streams in another
//                         order
std::vector<ProblemProperty> ProblemProperties(
    FeatureSet claims = kConstraintFeatures);

struct SearchForProblem {
  ProblemParameters parameters;  // the claimed features
  uint64_t seed = 1;
  size_t problems = 2000;  // to try: with each feature alone, and with all
  size_t max_size = 10;    // records of a problem: 1 to this
};

struct ProblemFailure {
  absl::string_view property;
  absl::string_view sentence;
  size_t problems = 0;  // including the failing one
  Instance found;
  Instance smallest;    // as ShrinkProblem left it
  Instance asked;       // what the property has made of it
  absl::Status status;  // of `smallest`
  ShrinkEnd shrink_end = ShrinkEnd::kNotShrunk;
};

// Returns the first problem for which a property does not hold, or one that
// comes soon after for which an earlier property does not hold, shrunk.
// Deterministic if the planner is.
absl::optional<ProblemFailure> FindFailure(
    const ProblemPlanFn& planner,
    const SearchForProblem& search = SearchForProblem());

// Does to a problem what ShrinkRecords (shrink.h) does to records, as long as
// it does not contradict itself: drops records with all that names them, then
// constraints one by one, closes gaps in time and brings tasks, sizes,
// alignments, offsets and holes down. Of a partial order it drops the tasks
// that use no record, then users and edges.
Instance ShrinkProblem(
    const Instance& instance,
    const std::function<bool(const Instance& instance)>& still_fails,
    size_t max_calls = 5000);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_PROBLEM_PROPERTIES_H_
