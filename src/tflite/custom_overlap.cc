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

// Where a tensor has data, by operators: from the one that writes it, or from
// before all of them, to its last reader or beyond all of them.
struct DataLife {
  bool is_workspace = false;  // no data: custom operators work in it
  bool is_given = false;      // has data before the first operator
  bool is_kept = false;       // has data after the last
  size_t writer = kAbsent;
  size_t last_reader = kAbsent;
};

DataLife DataLifeOf(const SubgraphSpec& graph, size_t tensor) {
  DataLife life;
  const bool is_variable = graph.tensors[tensor].is_variable;
  life.is_given = is_variable || absl::c_linear_search(graph.inputs, tensor);
  life.is_kept = is_variable || absl::c_linear_search(graph.outputs, tensor);
  bool is_custom = true;
  for (size_t op = 0; op < graph.operators.size(); ++op) {
    const OperatorSpec& spec = graph.operators[op];
    if (absl::c_linear_search(spec.outputs, tensor)) life.writer = op;
    if (!absl::c_linear_search(spec.inputs, tensor)) continue;
    life.last_reader = op;
    is_custom = is_custom && spec.is_custom;
  }
  life.is_workspace = !life.is_given && !life.is_kept && is_custom &&
                      life.writer == kAbsent && life.last_reader != kAbsent;
  return life;
}

bool IsLiveAt(const DataLife& life, const OperatorSpec& spec, size_t tensor,
              size_t op) {
  if (life.is_workspace) return HasOperand(spec, tensor);
  const bool has_begun =
      life.is_given || (life.writer != kAbsent && life.writer <= op);
  const bool is_over = !life.is_kept && op != life.writer &&
                       (life.last_reader == kAbsent || life.last_reader < op);
  return has_begun && !is_over;
}

// Whether the tensor has data when the operator begins, and when it has ended.
bool BringsData(const DataLife& life, size_t op) {
  return !life.is_workspace && (life.is_given || life.writer < op);
}
bool IsUsedAfter(const DataLife& life, size_t op) {
  return !life.is_workspace && (life.is_kept || (life.last_reader != kAbsent &&
                                                 life.last_reader > op));
}

bool AllowsOverlap(const DataLife& a, const DataLife& b, size_t op) {
  if (BringsData(a, op) && BringsData(b, op)) return false;
  if (IsUsedAfter(a, op) && IsUsedAfter(b, op)) return false;
  return (!IsUsedAfter(a, op) || a.writer == op) &&
         (!IsUsedAfter(b, op) || b.writer == op);
}

}  // namespace

bool IsOverlapOfCustomOperators(const Model& model, const MicroBuffer& a,
                                const MicroBuffer& b) {
  if (a.subgraph != b.subgraph || a.tensor == kAbsent || b.tensor == kAbsent) {
    return false;
  }
  const SubgraphSpec& graph = model.subgraphs()[a.subgraph];
  const DataLife a_life = DataLifeOf(graph, a.tensor);
  const DataLife b_life = DataLifeOf(graph, b.tensor);
  bool meets_custom = a_life.is_workspace || b_life.is_workspace;
  for (size_t op = 0; op < graph.operators.size(); ++op) {
    const OperatorSpec& spec = graph.operators[op];
    if (!IsLiveAt(a_life, spec, a.tensor, op) ||
        !IsLiveAt(b_life, spec, b.tensor, op)) {
      continue;
    }
    if (!spec.is_custom || !HasOperand(spec, a.tensor) ||
        !HasOperand(spec, b.tensor) || !AllowsOverlap(a_life, b_life, op)) {
      return false;
    }
    meets_custom = true;
  }
  return meets_custom;
}

}  // namespace stowage
