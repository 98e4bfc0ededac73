// SPDX-License-Identifier: Apache-2.0
// Finds the tasks of the operators of a model under the rules `micro`
// (micro_trace.h). Under these rules, a subgraph may run several times.
#ifndef STOWAGE_SRC_TFLM_MICRO_TASKS_H_
#define STOWAGE_SRC_TFLM_MICRO_TASKS_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "stowage/tflite/model.h"

namespace stowage {

// Returns the task of each operator, indexed by subgraph and then by operator.
// If a subgraph runs several times, the tasks are those of its first run. The
// task of an operator that never runs is kAbsent. Errors: those of
// MicroBuffersOf.
absl::StatusOr<std::vector<std::vector<size_t>>> MicroTasksOf(
    const Model& model);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_MICRO_TASKS_H_
