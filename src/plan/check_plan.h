// SPDX-License-Identifier: Apache-2.0
// Checks that a solution has a safe plan, and reports any violation as an
// error.
#ifndef STOWAGE_SRC_PLAN_CHECK_PLAN_H_
#define STOWAGE_SRC_PLAN_CHECK_PLAN_H_

#include <cstddef>

#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/verify.h"

namespace stowage {

// Returns OK if there is no violation. Otherwise returns a FailedPrecondition
// error that carries the violation as a payload (ViolationOf).
Status UnsafeError(const optional<Violation>& violation);

// Returns OK if the solution has a plan, the plan is of the kind that the
// problem requests, and the plan is safe. Otherwise returns the error of
// UnsafeError; a missing plan is reported like a plan with no offsets or
// objects. Requires a problem without choices (DecidedProblem). O(n log n).
Status CheckPlan(const Problem& problem, const Solution& solution);

// Returns the total size of a plan that passes CheckPlan. Errors: those of
// TotalSize.
StatusOr<size_t> TotalOf(const Solution& solution);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_CHECK_PLAN_H_
