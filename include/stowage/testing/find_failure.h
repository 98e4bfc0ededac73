// SPDX-License-Identifier: Apache-2.0
// Tests a planner in one call: looks for a trace on which a planner in this
// process fails, and shrinks it. For a planner that is a separate program use
// PlannerCheck (check_planner.h).
//
//   if (auto failure = FindFailure(planner)) {
//     std::cerr << Describe(*failure);
//     WriteFile("failure.csv", *FormatTraceCsv(ToTrace(failure->asked)));
//   }
//
// This needs no RapidCheck. To look for one kind of bug name its family; to
// require more of a planner than safety, add claims (properties.h).
#ifndef STOWAGE_TESTING_FIND_FAILURE_H_
#define STOWAGE_TESTING_FIND_FAILURE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/shrink.h"

namespace stowage::testing {

struct SearchForFailure {
  std::vector<Family> families;  // all of AllFamilies if empty
  uint64_t seed = 1;
  size_t traces = 2000;  // to try; the families alternate
  size_t max_size = 20;  // draws of a trace: 0 to this, small ones first
  // One trace in 40 is large: it has up to 70 records or up to this number, to
  // fill tables of planners that have 64 or 256 entries. 0 means that there are
  // no large traces.
  size_t large_size = 300;
  // Every other trace of a family has alignments: half of them up to 256 and
  // half up to this number. If it is 1, no trace has alignments. Not used for
  // shared objects, which are allocated separately.
  size_t max_alignment = size_t{1} << 17;
  Parameters parameters;  // without its max_alignment
};

struct Failure {
  absl::string_view property;  // its name
  absl::string_view sentence;  // what should hold
  Family family = Family::kChains;
  uint64_t seed = 0;    // RandomInstance(family, seed, ...) made `found`
  size_t traces = 0;    // including the failing one
  Instance found;       // as it was generated
  Instance smallest;    // as ShrinkRecords left it
  absl::Status status;  // the result of the property on `smallest`
  // The last input of the planner before the failure: `smallest`, or what the
  // property derives from it, such as the same records in another order. The
  // planner fails on these records alone, unless it depends on earlier calls.
  // But a claim compares plans, so it must be checked on `smallest`.
  Instance asked;
  ShrinkEnd shrink_end = ShrinkEnd::kNotShrunk;
};

// Searches for the first trace for which a property does not hold, and returns
// the failure after shrinking the trace. If a trace that comes soon after fails
// an earlier one of `properties`, it is preferred, so that an unsafe plan is
// reported as unsafe. If no property fails, but the planner has planned neither
// a generated trace nor any other, returns a failure of a property called
// `planned`. Deterministic if the planner is.
absl::optional<Failure> FindFailure(
    const PlanFn& planner, const SearchForFailure& search = SearchForFailure(),
    absl::Span<const Property> properties = AllProperties());
absl::optional<Failure> FindFailure(
    const ObjectsPlanFn& planner,
    const SearchForFailure& search = SearchForFailure(),
    absl::Span<const ObjectsProperty> properties = AllObjectsProperties());

// Returns a few lines of text: the property, what is wrong, and the records
// that the planner was given.
std::string Describe(const Failure& failure);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_FIND_FAILURE_H_
