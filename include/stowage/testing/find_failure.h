// SPDX-License-Identifier: Apache-2.0
// Tests a planner in this process with one call: searches for a trace, or a
// problem with constraints, on which the planner fails, and shrinks this trace
// or problem. For a planner that is a separate program, use PlannerCheck
// (check_planner.h).
//
//   if (auto failure = FindFailure(planner)) {
//     std::cerr << Describe(*failure);
//     WriteFile("failure.csv", *FormatProblemCsv(ToFile(failure->asked)));
//   }
//
// The search does not need RapidCheck. To search for one kind of bug, set
// SearchForFailure::families to the family that provokes it. To require more
// than the properties of every correct planner, add claims (properties.h) to
// `properties`. To search among problems with constraints, specify the features
// that the planner supports:
//
//   SearchForProblem search;
//   search.parameters.features = {Feature::kPlaces, Feature::kGroups};
//   const auto failure = FindFailure(planner, search);
#ifndef STOWAGE_TESTING_FIND_FAILURE_H_
#define STOWAGE_TESTING_FIND_FAILURE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"
#include "stowage/testing/families.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/shrink.h"

namespace stowage::testing {

// The traces without constraints that FindFailure tries.
struct SearchForFailure {
  std::vector<Family> families;  // AllFamilies is used if this is empty
  uint64_t seed = 1;
  // The number of the first trace to try, and the number of traces to try.
  // Successive traces use the families in turn. The same seed and trace number
  // always give the same trace. To repeat a failure, set `traces` to 1 and
  // `first` to Failure::traces - 1.
  size_t first = 0;
  size_t traces = 2000;
  // The maximum number of samples (families.h) in a trace. Small traces come
  // first.
  size_t max_size = 20;
  // One trace in 40 is large: half of the large traces have up to 70 records,
  // the others up to this number. Large traces overflow the fixed tables of 64
  // or 256 entries that some planners have. If 0, no trace is large.
  size_t large_size = 300;
  // Every second trace of a family has alignments: up to 256 in half of these
  // traces, and up to this number in the other half. If 1, no trace has
  // alignments. Not used for shared objects, which are allocated separately.
  size_t max_alignment = size_t{1} << 17;
  // The parameters of the families. Parameters::max_alignment has no effect.
  Parameters parameters;
  // When this flag becomes true, the search stops and returns the failure that
  // it has found so far. Not owned; may be null.
  const std::atomic<bool>* cancelled = nullptr;
};

// The problems with constraints that FindFailure tries.
struct SearchForProblem {
  // Set `parameters.features` to the features that the planner claims to
  // support. The problems have only constraints of these features.
  ProblemParameters parameters;
  uint64_t seed = 1;
  // The number of the first problem to try, and the number of problems to try.
  // Some problems have only one of the features, and others have all of them.
  size_t first = 0;
  size_t problems = 2000;
  // The maximum number of records in a problem, at least 1.
  size_t max_size = 10;
  // The same as SearchForFailure::cancelled.
  const std::atomic<bool>* cancelled = nullptr;
};

// A property that a planner violates, and the problem on which it is violated.
struct Failure : FailingSpecs {
  string_view property;  // the name of the property
  string_view sentence;  // says what should hold
  // The origin of FailingSpecs::found: RandomInstance(family, seed, ...) or, if
  // there is no family, RandomProblem(seed, ...).
  optional<Family> family = nullopt;
  uint64_t seed = 0;
  // The number of the failing trace, counted from 1. If the search began with
  // the first trace, this is also the number of traces that were tried.
  size_t traces = 0;
};

// Searches for the first trace on which the planner violates a property,
// shrinks this trace, and returns the failure. After a failure, the search also
// tries some later traces. If one of these traces shows a violation of a
// property that comes earlier in `properties`, that trace is shrunk and
// returned instead. In this way, a planner that makes unsafe plans is reported
// as unsafe.
//
// If no property is violated, but the planner has returned no plan for any
// trace, not even for a trace that a property derived from another trace, the
// result is a failure of a property called `planned`. The result is
// deterministic if the planner is deterministic.
optional<Failure> FindFailure(
    const PlanFn& planner, const SearchForFailure& search = SearchForFailure(),
    Span<const Property> properties = AllProperties());
optional<Failure> FindFailure(
    const ObjectsPlanFn& planner,
    const SearchForFailure& search = SearchForFailure(),
    Span<const ObjectsProperty> properties = AllObjectsProperties());

// Searches in the same way for a problem with constraints on which the planner
// violates one of ProblemProperties. There is no failure if the planner returns
// Unimplemented for all problems.
optional<Failure> FindFailure(const PlanFn& planner,
                              const SearchForProblem& search);

// Returns a few lines of text: the property, what is wrong, and the problem
// that the planner received (as records or, if the problem has constraints, as
// a problem file).
std::string Describe(const Failure& failure);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_FIND_FAILURE_H_
