// SPDX-License-Identifier: Apache-2.0
// Carries outputs of a subgraph over to its inputs in the next invocation.
#include "src/harness/carry_outputs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/harness/buffered_tensors.h"
#include "src/harness/graph_session.h"
#include "src/harness/running_graph.h"
#include "stowage/base/text.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

absl::Status CheckPair(const Model& model, const CarriedTensor& carried) {
  absl::Status status = model.CheckSubgraph(carried.subgraph);
  if (!status.ok()) return status;
  const SubgraphSpec& graph = model.subgraphs()[carried.subgraph];
  return CheckHanded(graph, carried.output, graph, carried.input);
}

}  // namespace

absl::Status CheckHanded(const SubgraphSpec& from, size_t output,
                         const SubgraphSpec& to, size_t input) {
  if (output >= from.outputs.size() || input >= to.inputs.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "output ", output, " for input ", input, "; expected an output below ",
        from.outputs.size(), " and an input below ", to.inputs.size()));
  }
  const TensorSpec& source = from.tensors[from.outputs[output]];
  const TensorSpec& target = to.tensors[to.inputs[input]];
  if (source.type == target.type) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "output ", Quoted(source.name), " of type ", ElementTypeName(source.type),
      " for input ", Quoted(target.name), " of type ",
      ElementTypeName(target.type), "; expected the same type"));
}

absl::Status CheckCarried(const Model& model,
                          const InterpreterOptions& options) {
  if (options.carried.empty()) return absl::OkStatus();
  if (options.shared_arena != nullptr ||
      options.io_lifetime.value_or(DefaultIoLifetime(options.lifetimes)) ==
          IoLifetime::kUse) {
    return absl::InvalidArgumentError(absl::StrCat(
        model.name(), ": outputs carried to inputs, with ",
        options.shared_arena != nullptr ? "a shared arena"
                                        : "inputs that live to their last use",
        "; expected inputs that are kept"));
  }
  std::set<std::pair<size_t, size_t>> inputs;
  for (const CarriedTensor& carried : options.carried) {
    absl::Status status = CheckPair(model, carried);
    if (status.ok() &&
        !inputs.emplace(carried.subgraph, carried.input).second) {
      status = absl::InvalidArgumentError(absl::StrCat(
          "input ", carried.input, " gets two outputs; expected one"));
    }
    if (status.ok()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        model.name(), ": subgraph ", carried.subgraph, ": ", status.message()));
  }
  return absl::OkStatus();
}

// Copies the outputs that become inputs of the next invocation, unless the
// output and the input have the same memory. The copies are written to the
// inputs only when the next invocation begins, because until then the caller
// may read the outputs, which may share memory with an input.
absl::Status GraphSession::KeepCarried() {
  if (own_frames_ == nullptr) return absl::OkStatus();
  carried_.clear();
  for (const CarriedTensor& carried : shared_->options.carried) {
    if (carried.subgraph != graph().index()) continue;
    const size_t output = spec().outputs[carried.output];
    const size_t input = spec().inputs[carried.input];
    absl::Status status = MakeReadable({output}, &graph());
    if (!status.ok()) return status;
    const Tensor& from = graph().tensors()[output];
    const Tensor& to = graph().tensors()[input];
    if (from.bytes != to.bytes) {
      return graph().AtTensor(
          input, absl::InvalidArgumentError(
                     absl::StrCat("gets output ", carried.output, " of ",
                                  from.bytes, " bytes; expected ", to.bytes)));
    }
    if (from.data == to.data || from.bytes == 0) continue;
    const auto* const data = from.as<uint8_t>();
    carried_.emplace_back(input, std::vector<uint8_t>(data, data + from.bytes));
  }
  return absl::OkStatus();
}

void GraphSession::GiveCarried() {
  for (const auto& [input, bytes] : carried_) {
    std::copy(bytes.begin(), bytes.end(),
              graph().tensors()[input].as<uint8_t>());
    graph().buffers().MarkWritten(input);
  }
}

}  // namespace stowage::harness
