// SPDX-License-Identifier: Apache-2.0
// Which tasks the operators of a model are under the rules `micro`
// (micro_trace.h), where a subgraph may run again and again.
#ifndef STOWAGE_SRC_TFLM_MICRO_TASKS_H_
#define STOWAGE_SRC_TFLM_MICRO_TASKS_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "stowage/tflite/model.h"

namespace stowage {

// By subgraph and operator: its task in the first run of the subgraph; kAbsent
// for one that never runs. Errors: those of MicroBuffersOf.
absl::StatusOr<std::vector<std::vector<size_t>>> MicroTasksOf(
    const Model& model);

// Returns the subgraphs that an operator calls, in order, as the model has
// them: any numbers.
std::vector<int> CalledSubgraphs(const OperatorSpec& op);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_MICRO_TASKS_H_
