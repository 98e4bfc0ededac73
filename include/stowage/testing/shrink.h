// SPDX-License-Identifier: Apache-2.0
// Minimizes a problem on which a planner fails. To search for such a problem
// and minimize it in one call, use FindFailure (find_failure.h).
//
//   ProblemSpec smallest =
//       Shrink(SpecOf(records, alignments), [&](const ProblemSpec& spec) {
//         return !safety.check(planner, spec).ok();
//       }).smallest;
//
// Shrink works for any problem. It is not needed for problems of generators.h,
// since RapidCheck shrinks them itself.
#ifndef STOWAGE_TESTING_SHRINK_H_
#define STOWAGE_TESTING_SHRINK_H_

#include <cstddef>
#include <functional>

#include "stowage/base/status.h"
#include "stowage/problem.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {

// The reason why the search for a smaller trace stopped.
enum class ShrinkEnd {
  kNotShrunk,  // no search was made, or it was stopped
  kSmallest,   // no step leads to a smaller trace that still fails
  kAttempts,   // no attempt was left; smaller traces may fail as well
  kTime,       // the time was over; smaller traces may fail as well
};

// The problems on which a planner fails, from the generated one to the
// smallest.
struct FailingSpecs {
  ProblemSpec found;  // the problem as it was generated
  // The smallest problem on which the planner still fails.
  ProblemSpec smallest;
  // The last problem that the planner received before the failure: `smallest`,
  // or a problem that the property derives from `smallest`, such as the same
  // records in another order. One call with `asked` repeats the failure, with
  // two exceptions: the planner may depend on earlier calls, and a claim
  // (properties.h) compares the plans of several calls, so a claim must be
  // checked on `smallest` instead.
  ProblemSpec asked;
  Status status;  // the result of the property on `smallest`
  ShrinkEnd shrink_end = ShrinkEnd::kNotShrunk;
};

// Returns whether the planner still fails on a smaller problem.
using StillFailsFn = std::function<bool(const ProblemSpec& spec)>;

struct ShrunkSpec {
  ProblemSpec smallest;
  bool is_complete = true;  // is false if `max_calls` ended the search
};

// Makes the problem smaller step by step. A step is kept if `still_fails`
// returns true for the smaller problem. Stops when no step is kept, or after
// `max_calls` calls of `still_fails`.
//
// A step drops records together with everything that refers to these records,
// closes a gap in time, or reduces a size, an alignment or the number of a
// task. If there are constraints (HasConstraints), a step may also drop a
// constraint, or lower an offset or a hole. If there is a partial order, a step
// may also drop a user, an edge, or a task that uses no record. No step leads
// to constraints that contradict each other.
//
// If the planner fails on the input, it also fails on the result. The result
// has no more records, no later tasks and no larger sizes than the input. If
// the input is in execution order, the result is in execution order, too. The
// function is deterministic. Requires a valid problem, except that the sum of
// sizes may exceed 2^64 - 1 if there are no constraints.
//
// Source: the steps that drop records are those of delta debugging (A. Zeller
// and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input",
// 2002).
ShrunkSpec Shrink(ProblemSpec spec, const StillFailsFn& still_fails,
                  size_t max_calls = 5000);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_SHRINK_H_
