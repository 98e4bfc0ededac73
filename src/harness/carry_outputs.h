// SPDX-License-Identifier: Apache-2.0
// Checks which outputs may become inputs, either of another subgraph or of the
// next invocation.
#ifndef STOWAGE_SRC_HARNESS_CARRY_OUTPUTS_H_
#define STOWAGE_SRC_HARNESS_CARRY_OUTPUTS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Checks that an output of subgraph `from` can become an input of subgraph
// `to`: both tensors must exist and have the same type. `from` and `to` may be
// the same subgraph. Error: InvalidArgument.
absl::Status CheckHanded(const SubgraphSpec& from, size_t output,
                         const SubgraphSpec& to, size_t input);

// Checks InterpreterOptions::carried. Error: InvalidArgument, with the name of
// the subgraph.
absl::Status CheckCarried(const Model& model,
                          const InterpreterOptions& options);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_CARRY_OUTPUTS_H_
