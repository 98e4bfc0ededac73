// SPDX-License-Identifier: Apache-2.0
// Minimizes a problem on which a planner fails. FindFailure (find_failure.h)
// does both the search and this.
//
//   ProblemSpec smallest =
//       Shrink(SpecOf(records, alignments), [&](const ProblemSpec& spec) {
//         return !safety.check(planner, spec).ok();
//       }).smallest;
//
// This works on any problem. RapidCheck itself shrinks what generators.h
// generates.
#ifndef STOWAGE_TESTING_SHRINK_H_
#define STOWAGE_TESTING_SHRINK_H_

#include <cstddef>
#include <functional>

#include "absl/status/status.h"
#include "stowage/problem.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {

// The reason for which the search for a smaller trace ended.
enum class ShrinkEnd {
  kNotShrunk,  // there was none, or it was stopped
  kSmallest,   // no step leads to a smaller trace that still fails
  kAttempts,   // the limit on attempts: smaller traces may fail as well
  kTime,       // the limit on time: likewise
};

// The problems of a failure.
struct FailingSpecs {
  ProblemSpec found;     // as it was generated
  ProblemSpec smallest;  // the smallest one on which the planner still fails
  // The last input of the planner before the failure: `smallest`, or what the
  // property derives from it, such as the same records in another order. The
  // planner fails on this problem alone, unless it depends on earlier calls.
  // But a claim compares plans, so it must be checked on `smallest`.
  ProblemSpec asked;
  absl::Status status;  // the result of the property on `smallest`
  ShrinkEnd shrink_end = ShrinkEnd::kNotShrunk;
};

// Returns whether the planner still fails on the problem.
using StillFailsFn = std::function<bool(const ProblemSpec& spec)>;

struct ShrunkSpec {
  ProblemSpec smallest;
  bool is_complete = true;  // false if it ran out of calls
};

// Drops records together with everything that names them, then closes gaps in
// time and reduces tasks, sizes and alignments, as long as `still_fails`
// returns true, until none of these steps is possible or `still_fails` has been
// called `max_calls` times. If there are constraints (HasConstraints), it also
// drops them one by one and lowers offsets and holes. Of a partial order, it
// drops the tasks that use no record, and then users and edges. Every step
// leaves a problem with constraints that do not contradict each other.
//
// The result still fails if the input does. It has no more records, later tasks
// or larger sizes than the input, and is in execution order if the input is.
// Deterministic. Requires a valid problem; without constraints, the sum of
// sizes may pass 2^64 - 1.
ShrunkSpec Shrink(ProblemSpec spec, const StillFailsFn& still_fails,
                  size_t max_calls = 5000);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_SHRINK_H_
