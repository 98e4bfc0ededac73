// SPDX-License-Identifier: Apache-2.0
// The search for a trace on which a planner fails, which FindFailure
// (find_failure.h) and PlannerCheck (check_planner.h) share: they differ in
// the planner, in the traces, and in how long they go on.
#ifndef STOWAGE_TESTING_FAILURE_SEARCH_H_
#define STOWAGE_TESTING_FAILURE_SEARCH_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/shrink.h"

namespace stowage::testing {

// What a check of one property on one trace has shown.
struct PropertyVerdict {
  absl::Status status;    // OK unless a property failed
  size_t property = 0;    // which: the one that was checked, or an implicit one
  bool has_plan = false;  // the planner has planned something
  size_t runs = 0;        // of the planner
  // If the property failed: the trace on which it did, and the records that the
  // planner was called with last.
  Instance found;
  Instance asked;
};

// A planner and the properties that it is checked for. Used by one thread at a
// time.
class PlannerUnderTest {
 public:
  virtual ~PlannerUnderTest() = default;

  virtual size_t property_count() const = 0;
  // The properties before this index are implicit: the check of any other shows
  // it if they fail, and the search ends there.
  virtual size_t implicit_count() const { return 0; }
  virtual PropertyVerdict CheckProperty(size_t property,
                                        const Instance& instance) = 0;
  // The planner's error, if it has no plan for the instance.
  virtual absl::Status PlanInstance(const Instance& instance) = 0;
  // Returns whether such a failure of the property is shrunk although nothing
  // has been planned yet, neither the trace nor one before it.
  virtual bool is_shrunk_without_plan(size_t /*property*/,
                                      const absl::Status& /*failure*/) const {
    return true;
  }
  // Returns whether it has planned any records at all.
  virtual bool has_planned() const = 0;
  // Returns whether the search has to end, and what was checked last means
  // nothing.
  virtual bool must_stop() const { return false; }
  // It must stop, too, once `interrupt` is true. Not owned; may be null. Not
  // for planners that are never used side by side.
  virtual void set_interrupt(const std::atomic<bool>* /*interrupt*/) {}
};

struct FailureSearchOptions {
  size_t traces = 0;
  std::function<Instance(size_t trace)> make_trace;  // from any thread
  // Checks all properties on all traces, whatever fails, but for an implicit
  // property.
  bool keep_going = false;
  // Unless it keeps going: after a failure the properties before it are tried
  // on the rest of the round of so many traces, for the first in order says
  // most. 0 for none.
  size_t round = 0;
  size_t max_shrinks = 5000;  // attempts to find a smaller trace
  absl::Duration shrink_time = absl::InfiniteDuration();
  // Called in order, by the thread of the search, before it waits for each
  // trace, and with `traces` before it shrinks one; may be null.
  std::function<void(size_t trace)> on_trace;
};

struct PropertyTally {
  size_t traces = 0;    // on which there was a plan, and it held
  absl::Status status;  // why it failed
};

struct SearchFailure {
  size_t property = 0;  // property_count() if nothing at all was planned
  size_t trace = 0;     // from 0
  Instance found;       // as made, or what an implicit property failed on
  Instance smallest;    // on which it still fails
  Instance asked;       // what the planner was called with last, failing there
  absl::Status status;  // of `smallest`
  ShrinkEnd shrink_end = ShrinkEnd::kNotShrunk;
};

struct SearchOutcome {
  std::vector<PropertyTally> properties;
  size_t traces = 0;
  size_t runs = 0;
  bool has_plan = false;    // of a trace that was counted
  bool is_stopped = false;  // by must_stop(), and not at the end
  absl::optional<SearchFailure> failure;
};

// Checks each property on each trace. With several planners, which must behave
// alike, traces are tried side by side, each planner in a thread of its own;
// the outcome is that of one planner, unless it is stopped. With one planner no
// thread is started. If nothing fails because no planner has planned anything,
// that is a failure.
SearchOutcome RunFailureSearch(absl::Span<PlannerUnderTest* const> planners,
                               const FailureSearchOptions& options);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_FAILURE_SEARCH_H_
