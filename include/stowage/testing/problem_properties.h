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

// Returns a registered strategy, as Solve (planner.h) runs it. If the strategy
// has no plan for a problem, the error is OutOfRange, even if the problem is
// feasible.
ProblemPlanFn StrategyProblemPlanFn(std::string strategy,
                                    SolveOptions options = {});

// A statement that holds for a planner and any problem.
struct ProblemProperty {
  absl::string_view name;      // "groups"
  absl::string_view sentence;  // what holds
  // Checks the property on a problem, as Property::check does on records.
  // Errors: those of Property::check; InvalidArgument if the instance is not a
  // valid problem.
  absl::Status (*check)(const ProblemPlanFn& planner, const Instance& instance);
};

// The properties of every planner that claims these features:
//   problem_completeness  a problem that IsPlannable has a plan
//   fixed_offsets, places, groups, apart, pools, partial_order
//                         the verifier finds no violation of the feature; only
//                         claimed features have this property
//   problem_safety        the verifier finds no other violation
//   problem_determinism   the same problem has the same plan
//   problem_reversal      a plan of the problem with time reversed is a plan of
//                         the problem
//   problem_relabelling   a plan of the problem with records, tasks and streams
//                         in another order is a plan of the problem
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

// Searches for the first problem for which a property does not hold, and
// returns the failure after shrinking the problem. If a problem that comes soon
// after fails an earlier property, it is preferred. Deterministic if the
// planner is.
absl::optional<ProblemFailure> FindFailure(
    const ProblemPlanFn& planner,
    const SearchForProblem& search = SearchForProblem());

// Shrinks a problem as ShrinkRecords (shrink.h) shrinks records. Every step
// must leave a problem that does not contradict itself. It drops records
// together with everything that names them, then drops constraints one by one,
// and then closes gaps in time and lowers tasks, sizes, alignments, offsets and
// holes. Of a partial order, it drops the tasks that use no record, and then
// users and edges.
Instance ShrinkProblem(
    const Instance& instance,
    const std::function<bool(const Instance& instance)>& still_fails,
    size_t max_calls = 5000);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_PROBLEM_PROPERTIES_H_
