// SPDX-License-Identifier: Apache-2.0
// Finds a minimal part of the sharing of a plan with which a run still fails.
#ifndef STOWAGE_SRC_HARNESS_BISECT_H_
#define STOWAGE_SRC_HARNESS_BISECT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Bisects a run in which CompareRuns has found a failure. `plans` contains the
// plan of each invocation of that run. Errors: those of CompareRuns.
absl::StatusOr<Bisection> Bisect(const Model& model,
                                 const OperatorResolver& resolver,
                                 const CheckOptions& options,
                                 const std::vector<MemoryPlan>& plans);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_BISECT_H_
