// SPDX-License-Identifier: Apache-2.0
// Searches for a trace on which a planner fails. FindFailure (find_failure.h)
// and PlannerCheck (check_planner.h) share this search. Each of them provides
// its own kind of planner and its own traces, and decides how long the search
// continues.
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
  // These two members are set if the property failed: `found` is the trace on
  // which it failed, and `asked` has the records of the planner's last call.
  ProblemSpec found;
  ProblemSpec asked;
};

// Represents a planner and the properties for which it is checked. Only one
// thread at a time may use the object.
class PlannerUnderTest {
 public:
  virtual ~PlannerUnderTest() = default;

  virtual size_t property_count() const = 0;
  // Returns the number of implicit properties, which are the first properties
  // of the planner. The check of any other property also detects failures of
  // implicit properties. A failure of an implicit property ends the search.
  virtual size_t implicit_count() const { return 0; }
  virtual PropertyVerdict CheckProperty(size_t property,
                                        const ProblemSpec& spec) = 0;
  // Returns OK if the planner has a plan for the problem, and its error
  // otherwise.
  virtual Status PlanSpec(const ProblemSpec& spec) = 0;
  // Returns whether the search should shrink this failure of the property even
  // if the planner has not returned any plan so far.
  virtual bool is_shrunk_without_plan(size_t /*property*/,
                                      const Status& /*failure*/) const {
    return true;
  }
  // Returns whether the planner has planned any records at all.
  virtual bool has_planned() const = 0;
  // Returns whether the search must end now. The search then ignores the result
  // of the last check.
  virtual bool must_stop() const { return false; }
  // Sets a flag with which the search interrupts the planner. Once the flag is
  // true, must_stop() must return true. The flag is not owned and may be null.
  // Planners that never run in parallel may ignore it.
  virtual void set_interrupt(const std::atomic<bool>* /*interrupt*/) {}
};

struct FailureSearchOptions {
  size_t traces = 0;
  std::function<ProblemSpec(size_t trace)> make_trace;  // must be thread-safe
  // If true, checks all properties on all traces, even after failures. Only a
  // failure of an implicit property then ends the search.
  bool keep_going = false;
  // The number of traces in a round; 0 means that there are no rounds. After a
  // failure, unless `keep_going` is set, the search continues until the round
  // ends. On the remaining traces of the round, it checks only the properties
  // that come before the failed one, because the failure of an earlier property
  // says more.
  size_t round = 0;
  size_t max_shrinks = 5000;  // limits the attempts to find a smaller trace
  // The maximum time that shrinking takes; `max()` means that there is no
  // limit.
  std::chrono::nanoseconds shrink_time = std::chrono::nanoseconds::max();
  // The search calls this function for each trace, in order, before it waits
  // for the results of the trace. Before it shrinks a trace, it calls the
  // function with the argument `traces`. All calls come from the thread of the
  // search. May be null.
  std::function<void(size_t trace)> on_trace;
};

struct PropertyTally {
  // The number of traces on which the planner returned a plan and the property
  // held.
  size_t traces = 0;
  Status status;  // the failure, if there is one
};

// `found` may differ from the trace. If an implicit property has failed,
// `found` may be a problem that a check has derived from the trace.
struct SearchFailure : FailingSpecs {
  size_t property = 0;  // is property_count() if nothing was planned at all
  size_t trace = 0;     // is counted from 0
};

struct SearchOutcome {
  std::vector<PropertyTally> properties;
  size_t traces = 0;
  size_t runs = 0;
  bool has_plan = false;  // says whether any trace that was counted has a plan
  // True if the search ended early because of must_stop().
  bool is_stopped = false;
  optional<SearchFailure> failure;
};

// Checks each property on each trace. If there are several planners, they must
// behave alike. Each of them then checks traces in its own thread. Unless the
// search is stopped, the outcome is the same as with one planner, which needs
// no thread. If no property has failed but no planner has planned anything, the
// search reports that as a failure.
SearchOutcome RunFailureSearch(Span<PlannerUnderTest* const> planners,
                               const FailureSearchOptions& options);

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_KIT_FAILURE_SEARCH_H_
