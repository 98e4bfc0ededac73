// SPDX-License-Identifier: Apache-2.0
// Searches for a trace on which a planner fails. Shared by FindFailure
// (find_failure.h) and PlannerCheck (check_planner.h), which provide different
// kinds of planners and traces, and determine how long the search continues.
#ifndef STOWAGE_SRC_KIT_FAILURE_SEARCH_H_
#define STOWAGE_SRC_KIT_FAILURE_SEARCH_H_

#include <atomic>
#include <chrono>  // NOLINT(build/c++11): durations
#include <cstddef>
#include <functional>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/problem.h"
#include "stowage/testing/shrink.h"

namespace stowage::testing {

// The result of checking one property on one trace.
struct PropertyVerdict {
  Status status;          // is OK unless a property failed
  size_t property = 0;    // the checked property, or an implicit one
  bool has_plan = false;  // says whether the planner has returned any plan
  size_t runs = 0;        // counts the calls of the planner
  // The next two members are set if the property failed: `found` is the trace
  // on which it failed, and `asked` contains the records of the last call of
  // the planner.
  ProblemSpec found;
  ProblemSpec asked;
};

// A planner and the properties for which it is checked. Only one thread at a
// time may use the object.
class PlannerUnderTest {
 public:
  virtual ~PlannerUnderTest() = default;

  virtual size_t property_count() const = 0;
  // Returns the number of implicit properties, which are the first properties
  // of the planner. The check of any other property also detects failures of
  // implicit properties. A failure of an implicit property stops the search.
  virtual size_t implicit_count() const { return 0; }
  virtual PropertyVerdict CheckProperty(size_t property,
                                        const ProblemSpec& spec) = 0;
  // Returns OK if the planner has a plan for the problem, otherwise its error.
  virtual Status PlanSpec(const ProblemSpec& spec) = 0;
  // Returns whether the search should shrink this failure of the property even
  // if the planner has not returned any plan so far.
  virtual bool is_shrunk_without_plan(size_t /*property*/,
                                      const Status& /*failure*/) const {
    return true;
  }
  // Returns whether the planner has planned at least one record.
  virtual bool has_planned() const = 0;
  // Returns whether the search must stop now, in which case it ignores the
  // result of the last check.
  virtual bool must_stop() const { return false; }
  // Sets a flag with which the search interrupts the planner. Once the flag is
  // true, must_stop() must return true. The flag is not owned and may be null.
  // Planners that never run in parallel may ignore it.
  virtual void set_interrupt(const std::atomic<bool>* /*interrupt*/) {}
};

struct FailureSearchOptions {
  size_t traces = 0;
  std::function<ProblemSpec(size_t trace)> make_trace;  // must be thread-safe
  // If true, all properties are checked on all traces, even after failures;
  // only a failure of an implicit property stops the search.
  bool keep_going = false;
  // The number of traces in a round; 0 means that there are no rounds. After a
  // failure, unless `keep_going` is set, the search continues to the end of the
  // round. On the remaining traces of the round, it checks only the properties
  // before the one that failed, because the failure of an earlier property is
  // more informative.
  size_t round = 0;
  size_t max_shrinks = 5000;  // limits the attempts to find a smaller trace
  // The time limit for shrinking; `max()` means that there is no limit.
  std::chrono::nanoseconds shrink_time = std::chrono::nanoseconds::max();
  // Called for each trace, in order, before the search waits for the results of
  // the trace. Called with the argument `traces` before the search shrinks a
  // trace. All calls come from the thread of the search. May be null.
  std::function<void(size_t trace)> on_trace;
};

struct PropertyTally {
  // The number of traces on which the planner returned a plan and the property
  // was satisfied.
  size_t traces = 0;
  Status status;  // the failure, if there is one
};

// A failure found by the search. `found` may differ from the trace: if an
// implicit property has failed, it may be a problem that a check has derived
// from the trace.
struct SearchFailure : FailingSpecs {
  size_t property = 0;  // is property_count() if nothing was planned at all
  size_t trace = 0;     // is counted from 0
};

struct SearchOutcome {
  std::vector<PropertyTally> properties;
  size_t traces = 0;
  size_t runs = 0;
  bool has_plan = false;  // says whether any trace that was counted has a plan
  // True if the search stopped early because of must_stop().
  bool is_stopped = false;
  optional<SearchFailure> failure;
};

// Checks each property on each trace. If there are several planners, they must
// behave identically, and each of them checks traces in its own thread. A
// single planner needs no thread. Unless the search is stopped, the outcome
// does not depend on the number of planners. If no property has failed but no
// planner has planned anything, the search reports that as a failure.
SearchOutcome RunFailureSearch(Span<PlannerUnderTest* const> planners,
                               const FailureSearchOptions& options);

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_KIT_FAILURE_SEARCH_H_
