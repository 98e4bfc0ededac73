// SPDX-License-Identifier: Apache-2.0
// Describes the tensors of a model for a trace. A description contains the
// facts about a tensor that are not in its record.
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/labels.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/trace_of_graph.h"

namespace stowage {
namespace {

constexpr size_t kNoRecord = std::numeric_limits<size_t>::max();

// Returns the shape as text, such as "1x224x224x3". An extent that is open in
// the signature is shown as a question mark, as in "?x10".
std::string ExtentsText(const Shape& shape, const Shape& signature) {
  if (shape.empty()) return "1";
  const bool is_signed = signature.size() == shape.size();
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : "x");
    if (is_signed && signature[i] < 0) {
      text += '?';
    } else {
      absl::StrAppend(&text, shape[i]);
    }
  }
  return text;
}

}  // namespace

TensorInfo DescribeTensor(const std::string& name, ElementType type,
                          const Shape& shape, const Shape& signature) {
  TensorInfo info;
  info.name = name;
  info.type = absl::AsciiStrToLower(ElementTypeName(type));
  info.shape = ExtentsText(shape, signature);
  return info;
}

TensorInfo DescribeTensor(const TensorSpec& tensor) {
  return DescribeTensor(tensor.name, tensor.type, tensor.shape,
                        tensor.signature);
}

std::string TemporaryName(absl::string_view op) {
  return absl::StrCat("temporary of ", op);
}

void ConnectTasks(const ArenaGraph& graph, absl::Span<const Lifetime> lifetimes,
                  absl::Span<const size_t> tensors,
                  std::vector<TensorInfo>* infos) {
  std::vector<size_t> record_of(graph.tensors.size(), kNoRecord);
  for (size_t i = 0; i < tensors.size(); ++i) record_of[tensors[i]] = i;
  const auto info_of = [&](size_t tensor) -> TensorInfo* {
    if (tensor == kAbsent) return nullptr;
    const size_t record = record_of[lifetimes[tensor].root];
    return record == kNoRecord ? nullptr : &(*infos)[record];
  };
  const auto write = [&](size_t tensor, size_t task) {
    TensorInfo* const info = info_of(tensor);
    if (info != nullptr && !info->producer) info->producer = task;
  };
  const auto read = [&](size_t tensor, size_t task) {
    TensorInfo* const info = info_of(tensor);
    if (info == nullptr) return;
    const bool is_known =
        !info->consumers.empty() && info->consumers.back() == task;
    if (!is_known) info->consumers.push_back(task);
  };
  // The inputs of the graph and the contents of variables have no producer,
  // because they are not produced by a task.
  std::vector<bool> is_given(graph.tensors.size(), false);
  for (const std::vector<size_t>* given : {&graph.inputs, &graph.variables}) {
    for (const size_t t : *given) is_given[t] = true;
  }
  for (size_t task = 0; task < graph.nodes.size(); ++task) {
    const ArenaNode& node = graph.nodes[task];
    for (const size_t t : node.inputs) read(t, task);
    for (const size_t t : node.outputs) {
      if (t != kAbsent && !is_given[t]) write(t, task);
    }
    for (const size_t t : node.temporaries) {
      write(t, task);
      read(t, task);
    }
  }
}

std::vector<std::string> OperatorNames(const SubgraphSpec& graph) {
  std::vector<std::string> names;
  names.reserve(graph.operators.size());
  for (const OperatorSpec& op : graph.operators) names.push_back(op.name);
  return names;
}

}  // namespace stowage
