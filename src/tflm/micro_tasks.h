// SPDX-License-Identifier: Apache-2.0
// Finds the tasks of the operators of a model under the rules `micro`
// (micro_trace.h), where a subgraph may run again and again.
#ifndef STOWAGE_SRC_TFLM_MICRO_TASKS_H_
#define STOWAGE_SRC_TFLM_MICRO_TASKS_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "stowage/tflite/model.h"

namespace stowage {

// Returns, by subgraph and operator, the task of the operator in the first run
// of the subgraph; kAbsent for an operator that never runs. Errors: those of
// MicroBuffersOf.
absl::StatusOr<std::vector<std::vector<size_t>>> MicroTasksOf(
    const Model& model);

// Returns the numbers of the subgraphs that an operator calls, in order. They
// are as in the model, and need not be valid.
std::vector<int> CalledSubgraphs(const OperatorSpec& op);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_MICRO_TASKS_H_
