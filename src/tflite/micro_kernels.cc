// SPDX-License-Identifier: Apache-2.0
#include "src/tflite/micro_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "flatbuffers/flexbuffers.h"
#include "src/tflite/model_generated.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/micro_trace.h"
#include "stowage/tflite/model.h"

namespace stowage {
namespace {

// A product that does not fit has no memory to be in: no device has it.
size_t Times(size_t a, size_t b) {
  return CheckedMultiply(a, b).value_or(SIZE_MAX);
}

size_t ElementsOf(const TensorSpec& tensor) {
  size_t elements = 1;
  for (const int32_t dimension : tensor.shape) {
    elements = Times(elements, static_cast<size_t>(std::max(dimension, 0)));
  }
  return elements;
}

// Bytes of an element in the memory of the device, 0 if it has none such.
size_t MicroElementBytes(ElementType type) {
  switch (type) {
    case ElementType::kInt4:
      return 1;
    case ElementType::kResource:
      return 4;
    default:
      return ElementBytes(type);
  }
}

// An operator and the tensors it names.
class Node {
 public:
  Node(const SubgraphSpec& graph, const OperatorSpec& op)
      : graph_(graph), op_(op) {}

  const TensorSpec* input(size_t i) const { return Find(op_.inputs, i); }
  const TensorSpec* output(size_t i) const { return Find(op_.outputs, i); }

  // 0 for what is not there.
  size_t InputElements(size_t i) const { return Elements(input(i)); }
  size_t OutputElements(size_t i) const { return Elements(output(i)); }
  size_t InputDimension(size_t i, size_t d) const {
    const TensorSpec* tensor = input(i);
    if (tensor == nullptr || d >= tensor->shape.size()) return 0;
    return static_cast<size_t>(std::max(tensor->shape[d], 0));
  }
  size_t InputRank(size_t i) const {
    const TensorSpec* tensor = input(i);
    return tensor == nullptr ? 0 : tensor->shape.size();
  }
  bool InputIs(size_t i, ElementType type) const {
    const TensorSpec* tensor = input(i);
    return tensor != nullptr && tensor->type == type;
  }

  template <typename Options>
  const Options* options(tflite::BuiltinOptions type) const {
    return op_.options_type == static_cast<int>(type)
               ? static_cast<const Options*>(op_.options)
               : nullptr;
  }
  const OperatorSpec& op() const { return op_; }

 private:
  const TensorSpec* Find(const std::vector<size_t>& list, size_t i) const {
    if (i >= list.size() || list[i] == kAbsent) return nullptr;
    return &graph_.tensors[list[i]];
  }
  static size_t Elements(const TensorSpec* tensor) {
    return tensor == nullptr ? 0 : ElementsOf(*tensor);
  }

  const SubgraphSpec& graph_;
  const OperatorSpec& op_;
};

// CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED: a filter of nibbles is unpacked.
std::vector<size_t> UnpackedFilter(const Node& node) {
  if (!node.InputIs(1, ElementType::kInt4)) return {};
  return {node.InputElements(1)};
}

// SVDF: sums of features, and of units where these are not the output.
std::vector<size_t> SvdfSums(const Node& node) {
  const auto* options =
      node.options<tflite::SVDFOptions>(tflite::BuiltinOptions::SVDFOptions);
  const size_t rank = options == nullptr
                          ? 1
                          : static_cast<size_t>(std::max(options->rank(), 1));
  const size_t batches = node.InputDimension(0, 0);
  const size_t filters = node.InputDimension(1, 0);
  std::vector<size_t> bytes = {Times(Times(batches, filters), 4)};
  if (node.InputIs(0, ElementType::kInt8)) {
    bytes.push_back(Times(Times(batches, filters / rank), 4));
  }
  return bytes;
}

// UNIDIRECTIONAL_SEQUENCE_LSTM: the four gates of a batch, as cells are.
std::vector<size_t> LstmGates(const Node& node) {
  constexpr size_t kOutputState = 18;
  constexpr size_t kCellState = 19;
  const auto* options = node.options<tflite::UnidirectionalSequenceLSTMOptions>(
      tflite::BuiltinOptions::UnidirectionalSequenceLSTMOptions);
  const bool is_time_major = options != nullptr && options->time_major();
  const TensorSpec* cell = node.input(kCellState);
  if (cell == nullptr) return {};
  const size_t states = Times(node.InputDimension(0, is_time_major ? 1 : 0),
                              node.InputDimension(kOutputState, 1));
  return std::vector<size_t>(4, Times(states, MicroElementBytes(cell->type)));
}

// REDUCE_MAX, REDUCE_MIN, and the end of MEAN and SUM: an index for each
// dimension, and the axes.
std::vector<size_t> ReducedAxes(const Node& node) {
  return {Times(node.InputRank(0), 4), Times(node.InputElements(1), 4)};
}

// MEAN, SUM: sums of integers come first.
std::vector<size_t> ReducedSums(const Node& node) {
  std::vector<size_t> bytes;
  if (node.InputIs(0, ElementType::kInt8) ||
      node.InputIs(0, ElementType::kInt16)) {
    bytes.push_back(Times(node.OutputElements(0), 4));
  }
  for (const size_t more : ReducedAxes(node)) bytes.push_back(more);
  return bytes;
}

// TRANSPOSE_CONV: sums of integers, and a bias of 16 bits widened.
std::vector<size_t> TransposedSums(const Node& node) {
  if (node.InputIs(2, ElementType::kInt8)) {
    return {Times(node.OutputElements(0), 4)};
  }
  if (!node.InputIs(2, ElementType::kInt16)) return {};
  std::vector<size_t> bytes = {Times(node.OutputElements(0), 8)};
  if (node.InputIs(3, ElementType::kInt16)) {
    bytes.push_back(Times(node.InputElements(3), 8));
  }
  return bytes;
}

// TFLite_Detection_PostProcess: boxes, scores and eleven lists in all.
std::vector<size_t> DetectionLists(const Node& node) {
  const absl::Span<const uint8_t> custom = node.op().custom_options;
  // In memory of their own they are aligned as flexbuffers expect.
  const std::vector<uint8_t> options(custom.begin(), custom.end());
  if (options.empty() ||
      !flexbuffers::VerifyBuffer(options.data(), options.size()) ||
      !flexbuffers::GetRoot(options).IsMap()) {
    return {};
  }
  const flexbuffers::Map map = flexbuffers::GetRoot(options).AsMap();
  const auto count = [&](const char* name) {
    return static_cast<size_t>(std::max(map[name].AsInt32(), 0));
  };
  const size_t detections = count("max_detections");
  const size_t boxes = node.InputDimension(0, 1);
  const size_t list = Times(boxes, 4);
  const size_t lists = Times(detections, list);
  return {boxes,
          Times(list, 4),
          Times(Times(node.InputDimension(1, 1), node.InputDimension(1, 2)), 4),
          list,
          list,
          lists,
          lists,
          list,
          lists,
          Times(std::max(count("num_classes"), detections), list),
          Times(std::min(boxes, detections), list)};
}

using ScratchOf = std::vector<size_t> (*)(const Node& node);

struct ScratchRow {
  absl::string_view name;
  ScratchOf scratch;
};

// Every kernel but ADD_N, whose requests depend on the device.
constexpr ScratchRow kScratch[] = {
    {"CONV_2D", UnpackedFilter},
    {"DEPTHWISE_CONV_2D", UnpackedFilter},
    {"FULLY_CONNECTED", UnpackedFilter},
    {"MEAN", ReducedSums},
    {"REDUCE_MAX", ReducedAxes},
    {"REDUCE_MIN", ReducedAxes},
    {"SUM", ReducedSums},
    {"SVDF", SvdfSums},
    {"TFLite_Detection_PostProcess", DetectionLists},
    {"TRANSPOSE_CONV", TransposedSums},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", LstmGates},
};

}  // namespace

size_t MicroTensorBytes(const TensorSpec& tensor) {
  return Times(ElementsOf(tensor), MicroElementBytes(tensor.type));
}

bool OutputIsHandle(const OperatorSpec& op) {
  return !op.is_custom && op.name == "VAR_HANDLE";
}

std::vector<size_t> ScratchRequestsOf(const SubgraphSpec& graph,
                                      const OperatorSpec& op, MicroWord word) {
  const Node node(graph, op);
  // One pointer to each input.
  if (op.name == "ADD_N") {
    return {Times(op.inputs.size(), static_cast<size_t>(word))};
  }
  for (const ScratchRow& row : kScratch) {
    if (row.name == op.name) return row.scratch(node);
  }
  return {};
}

}  // namespace stowage
