// SPDX-License-Identifier: Apache-2.0
// Checks that a solution has a safe plan, and reports a violation as an error.
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

// Returns the error for a violation: FailedPrecondition, with the violation as
// payload (ViolationOf). Returns OK if there is no violation.
Status UnsafeError(const optional<Violation>& violation);

// Returns OK if the plan exists, is of the problem's kind and is safe.
// Otherwise returns the error of UnsafeError; a missing plan is reported as a
// plan with no offsets or objects. Requires a problem without choices
// (DecidedProblem). O(n log n).
Status CheckPlan(const Problem& problem, const Solution& solution);

// Returns the total size of a plan that passes CheckPlan. Error: that of
// TotalSize.
StatusOr<size_t> TotalOf(const Solution& solution);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_CHECK_PLAN_H_
