// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/declared_shapes.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/harness/call_frames.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

void CompareOutputs(const RunningGraph& graph, size_t op,
                    std::vector<ShapeDifference>* differences) {
  const SubgraphSpec& spec = graph.spec();
  for (const size_t t : spec.operators[op].outputs) {
    if (t == kAbsent) continue;
    const TensorSpec& declared = spec.tensors[t];
    const Tensor& computed = graph.tensors()[t];
    if (declared.is_constant || computed.bytes == declared.bytes) continue;
    ShapeDifference& found = differences->emplace_back();
    found.subgraph = graph.index();
    found.op = op;
    found.tensor = t;
    found.declared_bytes = declared.bytes;
    found.computed_bytes = computed.bytes;
    found.is_open = HasOpenExtent(declared);
    found.message = absl::StrCat(
        graph.Place(), ", ", spec.OperatorPlace(op), ": computes ",
        ShapeText(computed.shape), ", ", computed.bytes, " bytes, for ",
        spec.TensorPlace(t), "; the model declares ", ShapeText(declared.shape),
        ", ", declared.bytes, " bytes");
  }
}

}  // namespace

std::vector<ShapeDifference> CompareDeclaredShapes(absl::string_view bytes,
                                                   absl::string_view name) {
  std::vector<ShapeDifference> differences;
  const absl::StatusOr<std::unique_ptr<const Model>> model =
      Model::Parse(bytes, name);
  if (!model.ok() || !CheckCalls(**model).ok()) return differences;
  SharedState shared(**model, BuiltinOperators(), InterpreterOptions());
  std::atomic<bool> is_cancelled{false};
  CallFrames frames(&shared, &is_cancelled);
  for (size_t g = 0; g < (*model)->subgraphs().size(); ++g) {
    RunningGraph graph(&shared, g, &frames);
    for (size_t op = 0; op < graph.spec().operators.size(); ++op) {
      if (graph.PrepareAlone(op)) CompareOutputs(graph, op, &differences);
    }
  }
  return differences;
}

absl::Status CheckDeclaredShapes(absl::string_view bytes,
                                 absl::string_view name) {
  for (const ShapeDifference& found : CompareDeclaredShapes(bytes, name)) {
    if (found.computed_bytes < found.declared_bytes) continue;
    return WithTensor(WithOperator(absl::InvalidArgumentError(absl::StrCat(
                                       found.message,
                                       ", which a device plans; expected at "
                                       "least the computed bytes")),
                                   found.op),
                      found.tensor);
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
