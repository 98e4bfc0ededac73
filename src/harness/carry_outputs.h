// SPDX-License-Identifier: Apache-2.0
// Checks which outputs an interpreter may carry to the next invocation.
#ifndef STOWAGE_SRC_HARNESS_CARRY_OUTPUTS_H_
#define STOWAGE_SRC_HARNESS_CARRY_OUTPUTS_H_

#include "absl/status/status.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Checks InterpreterOptions::carried. Error: InvalidArgument, naming the
// subgraph.
absl::Status CheckCarried(const Model& model,
                          const InterpreterOptions& options);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_CARRY_OUTPUTS_H_
