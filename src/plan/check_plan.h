// SPDX-License-Identifier: Apache-2.0
// Checks that a solution has a safe plan, with the violation as an error.
#ifndef STOWAGE_SRC_PLAN_CHECK_PLAN_H_
#define STOWAGE_SRC_PLAN_CHECK_PLAN_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/verify.h"

namespace stowage {

// Returns the violation as an error: FailedPrecondition with its payload
// (ViolationOf). OK if there is none.
absl::Status UnsafeError(const absl::optional<Violation>& violation);

// Returns OK if the plan exists, is of the problem's kind and is safe.
// Otherwise the error is that of UnsafeError; a missing plan counts as one
// without places. Requires a problem without choices (DecidedProblem). O(n log
// n).
absl::Status CheckPlan(const Problem& problem, const Solution& solution);

// Returns the total size of a plan that passes CheckPlan. Error: that of
// TotalSize.
absl::StatusOr<size_t> TotalOf(const Solution& solution);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_CHECK_PLAN_H_
