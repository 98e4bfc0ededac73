// SPDX-License-Identifier: Apache-2.0
#include "src/tflm/custom_overlap.h"

#include <cstddef>
#include <vector>

#include "absl/algorithm/container.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {
namespace {

bool HasOperand(const OperatorSpec& op, size_t tensor) {
  return absl::c_linear_search(op.inputs, tensor) ||
         absl::c_linear_search(op.outputs, tensor);
}

}  // namespace

CustomOverlaps::CustomOverlaps(const Model& model) : model_(model) {
  for (const SubgraphSpec& graph : model.subgraphs()) {
    std::vector<DataLife>& lives = lives_.emplace_back(graph.tensors.size());
    for (size_t t = 0; t < lives.size(); ++t) {
      lives[t].is_scratch = graph.tensors[t].is_scratch;
      lives[t].is_given = graph.tensors[t].is_variable;
      lives[t].is_kept = graph.tensors[t].is_variable;
    }
    for (const size_t t : graph.inputs) lives[t].is_given = true;
    for (const size_t t : graph.outputs) {
      lives[t].is_kept = true;
      lives[t].is_kept_for_others = true;
    }
    for (size_t i = 0; i < graph.operators.size(); ++i) {
      const OperatorSpec& op = graph.operators[i];
      for (const size_t t : op.outputs) {
        if (t != kAbsent) lives[t].writer = i;
      }
      for (const size_t t : op.inputs) {
        if (t == kAbsent) continue;
        lives[t].last_reader = i;
        if (op.is_custom) continue;
        lives[t].last_other_reader = i;
        if (graph.tensors[t].is_variable) lives[t].is_kept_for_others = true;
      }
    }
  }
}

bool CustomOverlaps::IsLiveAt(const DataLife& life, bool is_operand,
                              size_t op) {
  if (life.is_scratch) return is_operand;
  const bool has_begun =
      life.is_given || (life.writer != kAbsent && life.writer <= op);
  const bool is_over = !life.is_kept && op != life.writer &&
                       (life.last_reader == kAbsent || life.last_reader < op);
  return has_begun && !is_over;
}

// Returns whether the tensor already has data when the operator begins.
bool CustomOverlaps::BringsData(const DataLife& life, size_t op) {
  return !life.is_scratch && (life.is_given || life.writer < op);
}

// Returns whether the data of the tensor is still needed after the operator has
// finished.
bool CustomOverlaps::IsUsedAfter(const DataLife& life, size_t op) {
  return !life.is_scratch && (life.is_kept || (life.last_reader != kAbsent &&
                                               life.last_reader > op));
}

// Returns whether only custom operators could be affected if the operator `op`
// overwrites the tensor. This requires that neither the caller nor any other
// kind of operator reads the tensor afterwards. A tensor that has data before
// the first operator must also be an operand of `op`.
bool CustomOverlaps::IsLostToCustomAlone(const DataLife& life, bool is_operand,
                                         size_t op) {
  const bool others_read_later =
      life.last_other_reader != kAbsent && life.last_other_reader > op;
  return !life.is_kept_for_others && !others_read_later &&
         (is_operand || !life.is_given);
}

// Classifies the overlap of two tensors at the custom operator `op`. Requires
// that both tensors are live at this operator.
CustomOverlap CustomOverlaps::AtCustom(const DataLife& a, const DataLife& b,
                                       bool has_a, bool has_b, size_t op) {
  const bool brings_a = BringsData(a, op);
  const bool brings_b = BringsData(b, op);
  const bool needs_a = IsUsedAfter(a, op);
  const bool needs_b = IsUsedAfter(b, op);
  if (has_a && has_b && !(brings_a && brings_b) && !(needs_a && needs_b) &&
      (!needs_a || a.writer == op) && (!needs_b || b.writer == op)) {
    return CustomOverlap::kIntended;
  }
  if (a.is_scratch || b.is_scratch) return CustomOverlap::kUndecided;
  bool is_undecided = false;
  if (brings_a && brings_b) {
    // Both tensors have data when `op` begins, so one of them was written while
    // the other one was live. If both have data before the first operator, the
    // caller has written them, and the overlap is visible. Otherwise an
    // operator has written one of them. The overlap is also checked at that
    // operator, so here it is only undecided.
    is_undecided = !a.is_given || !b.is_given;
  } else if (brings_a) {
    is_undecided = IsLostToCustomAlone(a, has_a, op);
  } else if (brings_b) {
    is_undecided = IsLostToCustomAlone(b, has_b, op);
  } else {
    is_undecided =
        IsLostToCustomAlone(a, has_a, op) || IsLostToCustomAlone(b, has_b, op);
  }
  return is_undecided ? CustomOverlap::kUndecided : CustomOverlap::kVisible;
}

CustomOverlap CustomOverlaps::Of(const MicroBuffer& a,
                                 const MicroBuffer& b) const {
  if (a.tensor == kAbsent || b.tensor == kAbsent) {
    return CustomOverlap::kVisible;
  }
  const DataLife& a_life = lives_[a.subgraph][a.tensor];
  const DataLife& b_life = lives_[b.subgraph][b.tensor];
  const bool has_scratch = a_life.is_scratch || b_life.is_scratch;
  if (a.subgraph != b.subgraph) {
    return has_scratch ? CustomOverlap::kUndecided : CustomOverlap::kVisible;
  }
  CustomOverlap worst =
      has_scratch ? CustomOverlap::kNever : CustomOverlap::kVisible;
  bool is_first = true;
  const std::vector<OperatorSpec>& operators =
      model_.subgraphs()[a.subgraph].operators;
  for (size_t op = 0; op < operators.size(); ++op) {
    const bool has_a = HasOperand(operators[op], a.tensor);
    const bool has_b = HasOperand(operators[op], b.tensor);
    if (!IsLiveAt(a_life, has_a, op) || !IsLiveAt(b_life, has_b, op)) continue;
    if (!operators[op].is_custom) return CustomOverlap::kVisible;
    const CustomOverlap here = AtCustom(a_life, b_life, has_a, has_b, op);
    if (here == CustomOverlap::kVisible) return here;
    if (is_first || here == CustomOverlap::kUndecided) worst = here;
    is_first = false;
  }
  return worst;
}

}  // namespace stowage
