// SPDX-License-Identifier: Apache-2.0
#include "src/tflite/check_graph.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "model_schema/model_generated.h"
#include "stowage/error_payload.h"
#include "stowage/tflite/model.h"

namespace stowage {
namespace {

constexpr size_t kNone = std::numeric_limits<size_t>::max();

absl::Status Error(absl::string_view place, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", message));
}

bool IsBuiltin(const OperatorSpec& op, tflite::BuiltinOperator code) {
  return op.builtin_code == static_cast<int32_t>(code);
}

class GraphCheck {
 public:
  explicit GraphCheck(SubgraphSpec* graph)
      : graph_(*graph),
        is_input_(graph->tensors.size(), false),
        producers_(graph->tensors.size(), kNone) {
    for (const size_t tensor : graph->inputs) is_input_[tensor] = true;
    is_output_ = std::vector<bool>(graph->tensors.size(), false);
    for (const size_t tensor : graph->outputs) is_output_[tensor] = true;
  }

  absl::Status Run();

 private:
  absl::Status FindProducers();
  absl::Status Write(size_t op, size_t tensor);
  absl::Status Read(size_t op, size_t input) const;
  absl::Status CheckOutputs() const;
  absl::Status OperatorError(size_t op, size_t tensor,
                             absl::string_view message) const {
    return WithTensor(
        WithOperator(Error(graph_.OperatorPlace(op), message), op), tensor);
  }
  // Returns whether the tensor has contents before any operator runs.
  bool IsGiven(size_t tensor) const {
    const TensorSpec& t = graph_.tensors[tensor];
    return is_input_[tensor] || t.is_variable || t.is_constant;
  }
  bool MayLackData(size_t op, size_t input) const;
  void MarkFolded(size_t op);
  void MarkScratch();

  SubgraphSpec& graph_;
  std::vector<bool> is_input_;
  std::vector<bool> is_output_;
  std::vector<size_t>
      producers_;  // the operator that writes each tensor, or kNone
};

absl::Status GraphCheck::Run() {
  if (absl::Status status = FindProducers(); !status.ok()) return status;
  for (size_t op = 0; op < graph_.operators.size(); ++op) {
    for (size_t i = 0; i < graph_.operators[op].inputs.size(); ++i) {
      if (absl::Status status = Read(op, i); !status.ok()) return status;
    }
    MarkFolded(op);
  }
  MarkScratch();
  return CheckOutputs();
}

absl::Status GraphCheck::FindProducers() {
  for (size_t op = 0; op < graph_.operators.size(); ++op) {
    for (const size_t tensor : graph_.operators[op].outputs) {
      if (tensor == kAbsent) continue;
      if (absl::Status status = Write(op, tensor); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status GraphCheck::Write(size_t op, size_t tensor) {
  const auto error = [&](absl::string_view why) {
    return OperatorError(
        op, tensor, absl::StrCat("writes ", graph_.TensorPlace(tensor), why));
  };
  if (graph_.tensors[tensor].is_constant) {
    return error(", which is constant; expected a buffer without data");
  }
  if (is_input_[tensor]) {
    return error(", which is a graph input; expected one writer, the caller");
  }
  if (producers_[tensor] != kNone) {
    return error(absl::StrCat(", which ",
                              graph_.OperatorPlace(producers_[tensor]),
                              " writes already; expected one writer"));
  }
  producers_[tensor] = op;
  return absl::OkStatus();
}

absl::Status GraphCheck::Read(size_t op, size_t input) const {
  const size_t tensor = graph_.operators[op].inputs[input];
  if (tensor == kAbsent) return absl::OkStatus();
  const bool is_written = producers_[tensor] != kNone;
  if (IsGiven(tensor) || (is_written && producers_[tensor] < op) ||
      (!is_written && MayLackData(op, input))) {
    return absl::OkStatus();
  }
  if (is_written) {
    return OperatorError(
        op, tensor,
        absl::StrCat("reads ", graph_.TensorPlace(tensor), " before ",
                     graph_.OperatorPlace(producers_[tensor]),
                     " has written it; expected operators in execution order"));
  }
  return OperatorError(op, tensor,
                       absl::StrCat("reads ", graph_.TensorPlace(tensor),
                                    ", which nothing writes; expected an "
                                    "operator, data or a graph input"));
}

absl::Status GraphCheck::CheckOutputs() const {
  for (size_t t = 0; t < graph_.tensors.size(); ++t) {
    if (!is_output_[t] || IsGiven(t) || graph_.tensors[t].bytes == 0 ||
        producers_[t] != kNone) {
      continue;
    }
    return WithTensor(
        Error(graph_.TensorPlace(t),
              "a graph output that nothing writes; expected an operator, data "
              "or a graph input"),
        t);
  }
  return absl::OkStatus();
}

// Returns whether the operator may read the input even though no operator has
// written it. There are three cases:
// - Resources and empty tensors have no data.
// - For input 1 of RESHAPE, runtimes need only the shape, but not the data.
// - A custom operator may use the input as working memory.
bool GraphCheck::MayLackData(size_t op, size_t input) const {
  const OperatorSpec& reader = graph_.operators[op];
  // A custom operator, for example that of an accelerator, may use a tensor
  // that nothing writes as working memory.
  if (reader.is_custom) return true;
  return graph_.tensors[reader.inputs[input]].bytes == 0 ||
         (IsBuiltin(reader, tflite::BuiltinOperator::RESHAPE) && input == 1);
}

// Marks the outputs of the operator as folded if they depend only on constants.
// A tensor that is visible to the caller of the graph is never folded, because
// it must be written in every run.
void GraphCheck::MarkFolded(size_t op) {
  const OperatorSpec& source = graph_.operators[op];
  if (!IsBuiltin(source, tflite::BuiltinOperator::DEQUANTIZE) &&
      !IsBuiltin(source, tflite::BuiltinOperator::DENSIFY)) {
    return;
  }
  bool is_constant = !source.inputs.empty();
  for (const size_t tensor : source.inputs) {
    is_constant = is_constant && tensor != kAbsent &&
                  (graph_.tensors[tensor].is_constant ||
                   graph_.tensors[tensor].is_folded);
  }
  for (const size_t tensor : source.outputs) {
    if (tensor == kAbsent) continue;
    TensorSpec& t = graph_.tensors[tensor];
    t.is_folded = is_constant && !is_input_[tensor] && !is_output_[tensor] &&
                  !t.is_variable;
  }
}

void GraphCheck::MarkScratch() {
  std::vector<bool> is_read_by_builtin(graph_.tensors.size(), false);
  for (const OperatorSpec& op : graph_.operators) {
    for (const size_t t : op.inputs) {
      if (t == kAbsent) continue;
      if (!op.is_custom) is_read_by_builtin[t] = true;
      graph_.tensors[t].is_scratch = true;
    }
  }
  for (size_t t = 0; t < graph_.tensors.size(); ++t) {
    TensorSpec& tensor = graph_.tensors[t];
    tensor.is_scratch = tensor.is_scratch && !is_read_by_builtin[t] &&
                        !IsGiven(t) && !is_output_[t] &&
                        producers_[t] == kNone && tensor.bytes > 0;
  }
}

}  // namespace

absl::Status CheckGraph(SubgraphSpec* graph) { return GraphCheck(graph).Run(); }

}  // namespace stowage
