// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/side_effects.h"

#include <cstddef>

#include "absl/algorithm/container.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"

namespace stowage {

bool HasSideEffects(const SubgraphSpec& graph, const OperatorSpec& op) {
  const auto is_resource = [&](size_t t) {
    return t != kAbsent && graph.tensors[t].type == ElementType::kResource;
  };
  return CallsSubgraphs(op) || absl::c_any_of(op.inputs, is_resource) ||
         absl::c_any_of(op.outputs, is_resource);
}

}  // namespace stowage
