// SPDX-License-Identifier: Apache-2.0
#include "src/tflite/custom_overlap.h"

#include <cstddef>

#include "absl/algorithm/container.h"
#include "stowage/tflite/micro_trace.h"
#include "stowage/tflite/model.h"

namespace stowage {
namespace {

bool HasOperand(const OperatorSpec& op, size_t tensor) {
  return absl::c_linear_search(op.inputs, tensor) ||
         absl::c_linear_search(op.outputs, tensor);
}

// What a tensor is to an operator that has it as an operand.
struct Role {
  bool is_output = false;
  bool brings_data = false;  // written before it
  bool is_used_after = false;
};

Role RoleOf(const SubgraphSpec& graph, size_t tensor, size_t op) {
  Role role;
  const bool is_variable = graph.tensors[tensor].is_variable;
  role.brings_data = is_variable || absl::c_linear_search(graph.inputs, tensor);
  role.is_used_after =
      is_variable || absl::c_linear_search(graph.outputs, tensor);
  for (size_t other = 0; other < graph.operators.size(); ++other) {
    const OperatorSpec& spec = graph.operators[other];
    const bool reads = absl::c_linear_search(spec.inputs, tensor);
    const bool writes = absl::c_linear_search(spec.outputs, tensor);
    if (other == op) {
      role.is_output = writes;
    } else if (other < op) {
      role.brings_data |= writes;
    } else {
      role.is_used_after |= reads;
    }
  }
  return role;
}

bool AllowsOverlap(const Role& a, const Role& b) {
  if (a.brings_data && b.brings_data) return false;
  if (a.is_used_after && b.is_used_after) return false;
  return (!a.is_used_after || a.is_output) && (!b.is_used_after || b.is_output);
}

}  // namespace

bool IsOverlapOfCustomOperator(const Model& model, const MicroBuffer& a,
                               const MicroBuffer& b) {
  if (a.subgraph != b.subgraph || a.tensor == kAbsent || b.tensor == kAbsent) {
    return false;
  }
  const SubgraphSpec& graph = model.subgraphs()[a.subgraph];
  for (size_t op = 0; op < graph.operators.size(); ++op) {
    if (!graph.operators[op].is_custom ||
        !HasOperand(graph.operators[op], a.tensor) ||
        !HasOperand(graph.operators[op], b.tensor)) {
      continue;
    }
    if (AllowsOverlap(RoleOf(graph, a.tensor, op),
                      RoleOf(graph, b.tensor, op))) {
      return true;
    }
  }
  return false;
}

}  // namespace stowage
