// SPDX-License-Identifier: Apache-2.0
// Tests a planner in one call: looks for a trace, or a problem with
// constraints, on which a planner in this process fails, and shrinks this trace
// or problem. For a planner that is a separate program, use PlannerCheck
// (check_planner.h).
//
//   if (auto failure = FindFailure(planner)) {
//     std::cerr << Describe(*failure);
//     WriteFile("failure.csv", *FormatProblemCsv(ToFile(failure->asked)));
//   }
//
// The search needs no RapidCheck. To look for one kind of bug, name the family
// that provokes it. To require more of a planner than safety, add claims
// (properties.h). To search among problems with constraints, name the features
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

// Says on which traces without constraints FindFailure searches.
struct SearchForFailure {
  std::vector<Family> families;  // AllFamilies is used if this is empty
  uint64_t seed = 1;
  // The number of the first trace to try, and the number of traces to try.
  // Successive traces use the families in turn. The same seed and number give
  // the same trace, wherever the search begins. To repeat a failure, search
  // with traces = 1 and first = Failure::traces - 1.
  size_t first = 0;
  size_t traces = 2000;
  // The maximum number of samples (families.h) from which a trace is made.
  // Small traces come first.
  size_t max_size = 20;
  // One trace in 40 is large. Half of the large traces have up to 70 records,
  // the others up to this number. Some planners have tables of 64 or 256
  // entries, which large traces fill. With 0, no trace is large.
  size_t large_size = 300;
  // Every second trace of a family has alignments: half of these traces have
  // alignments up to 256, and half up to this number. With 1, no trace has
  // alignments. Not used for shared objects, which are allocated separately.
  size_t max_alignment = size_t{1} << 17;
  // Parameters of the families. Parameters::max_alignment has no effect.
  Parameters parameters;
  // When this flag becomes true, the search ends, and returns the failure that
  // it has found so far. The pointer is not owned, and may be null.
  const std::atomic<bool>* cancelled = nullptr;
};

// Says on which problems with constraints FindFailure searches.
struct SearchForProblem {
  // `parameters.features` must be the features that the planner claims to
  // support. The problems have only constraints of these features.
  ProblemParameters parameters;
  uint64_t seed = 1;
  // The number of the first problem to try, and the number of problems to try.
  // Some problems have only one of the features, and others have all of them.
  size_t first = 0;
  size_t problems = 2000;
  // The maximum number of records of a problem, at least 1.
  size_t max_size = 10;
  // The same as SearchForFailure::cancelled.
  const std::atomic<bool>* cancelled = nullptr;
};

// A property that a planner violates, and the problem on which it is violated.
struct Failure : FailingSpecs {
  string_view property;  // the name of the property
  string_view sentence;  // says what should hold
  // `family` and `seed` say how FailingSpecs::found was generated: as
  // RandomInstance(family, seed, ...) or, if there is no family, as
  // RandomProblem(seed, ...).
  optional<Family> family = nullopt;
  uint64_t seed = 0;
  // The number of the failing trace, counted from 1. If the search began with
  // the first trace, this is also the number of traces that were tried.
  size_t traces = 0;
};

// Searches for the first trace for which a property does not hold, shrinks this
// trace, and returns the failure. After a failure, the search also tries some
// later traces. If one of them fails a property that comes earlier in
// `properties`, this later trace is shrunk and returned instead, so that an
// unsafe plan is reported as unsafe. If no property fails, but the planner has
// returned no plan for any trace, not even for a trace that a property derived
// from another one, the result is a failure of a property called `planned`. The
// result is deterministic if the planner is deterministic.
optional<Failure> FindFailure(
    const PlanFn& planner, const SearchForFailure& search = SearchForFailure(),
    Span<const Property> properties = AllProperties());
optional<Failure> FindFailure(
    const ObjectsPlanFn& planner,
    const SearchForFailure& search = SearchForFailure(),
    Span<const ObjectsProperty> properties = AllObjectsProperties());

// Searches in the same way for a problem with constraints on which the planner
// violates one of ProblemProperties. A planner that refuses all problems as
// Unimplemented does not fail.
optional<Failure> FindFailure(const PlanFn& planner,
                              const SearchForProblem& search);

// Returns a few lines of text: the property, what is wrong, and the problem
// that the planner was given (as records, or as a problem file if it has
// constraints).
std::string Describe(const Failure& failure);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_FIND_FAILURE_H_
