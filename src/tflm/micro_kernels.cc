// SPDX-License-Identifier: Apache-2.0
#include "src/tflm/micro_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "flatbuffers/flexbuffers.h"
#include "model_schema/model_generated.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {
namespace {

// Returns the product of two numbers. Returns SIZE_MAX if the product
// overflows, which has the same effect, because no device has that much memory.
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

// Provides access to an operator and its tensors.
class Node {
 public:
  Node(const SubgraphSpec& graph, const OperatorSpec& op, MicroWord word)
      : graph_(graph), op_(op), pointer_bytes_(static_cast<size_t>(word)) {}

  size_t pointer_bytes() const { return pointer_bytes_; }

  const TensorSpec* input(size_t i) const { return Find(op_.inputs, i); }
  const TensorSpec* output(size_t i) const { return Find(op_.outputs, i); }

  // Return the number of elements, or 0 if the tensor or the dimension does not
  // exist.
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
  size_t OutputRank(size_t i) const {
    const TensorSpec* tensor = output(i);
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
  const size_t pointer_bytes_;
};

// Each function below returns the sizes of the scratch memory that one kind of
// kernel requests, in the order of the requests.
//
// CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED request memory for the
// unpacked filter if the filter has 4-bit elements.
std::vector<size_t> UnpackedFilter(const Node& node) {
  if (!node.InputIs(1, ElementType::kInt4)) return {};
  return {node.InputElements(1)};
}

// SVDF requests memory for the sums of features. For INT8, it also requests
// memory for the sums of units, which do not fit in the output.
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

// UNIDIRECTIONAL_SEQUENCE_LSTM requests memory for each of the four gates, with
// elements of the type of the cells.
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

// REDUCE_MAX and REDUCE_MIN request memory for one index per dimension, and for
// the axes. The last requests of MEAN and SUM are the same.
std::vector<size_t> ReducedAxes(const Node& node) {
  return {Times(node.InputRank(0), 4), Times(node.InputElements(1), 4)};
}

// MEAN and SUM first request memory for the sums if the input is INT8 or INT16.
// They then make the same requests as REDUCE_MAX.
std::vector<size_t> ReducedSums(const Node& node) {
  std::vector<size_t> bytes;
  if (node.InputIs(0, ElementType::kInt8) ||
      node.InputIs(0, ElementType::kInt16)) {
    bytes.push_back(Times(node.OutputElements(0), 4));
  }
  for (const size_t more : ReducedAxes(node)) bytes.push_back(more);
  return bytes;
}

// TRANSPOSE_CONV requests memory for integer sums. For INT16, it also requests
// memory for a 64-bit copy of the bias if the bias has 16 bits.
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

// TFLite_Detection_PostProcess makes eleven requests, for boxes, scores and
// lists.
std::vector<size_t> DetectionLists(const Node& node) {
  const absl::Span<const uint8_t> custom = node.op().custom_options;
  // Flexbuffers must be aligned, so they are read from an aligned copy.
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

// MIRROR_PAD requests memory for the strides of the output and of the input.
std::vector<size_t> PaddedStrides(const Node& node) {
  return std::vector<size_t>(2, Times(node.InputRank(0), 4));
}

// ADD_N requests memory for a pointer to each input.
std::vector<size_t> PointersToInputs(const Node& node) {
  return {Times(node.op().inputs.size(), node.pointer_bytes())};
}

// ethos-u requests memory for the 64-bit addresses of its inputs and outputs,
// and for their sizes.
std::vector<size_t> AddressesAndSizes(const Node& node) {
  const size_t tensors = node.op().inputs.size() + node.op().outputs.size();
  return {Times(tensors, 8), Times(tensors, node.pointer_bytes())};
}

// Returns the size of a list of `count` integers that is preceded by the count.
// Shapes are stored as such lists.
size_t ListBytes(size_t count) { return Times(count + 1, 4); }

// Each function below returns the sizes of the memory that one kind of kernel
// allocates in Prepare, in the order of the allocations.

// Returns the sizes of the list of multipliers and the list of shifts, each of
// which has one entry per channel.
std::vector<size_t> ChannelLists(size_t channels) {
  return std::vector<size_t>(2, Times(channels, 4));
}
std::vector<size_t> FilterRows(const Node& node) {
  return ChannelLists(node.InputDimension(1, 0));
}
std::vector<size_t> FilterColumns(const Node& node) {
  return ChannelLists(node.InputDimension(1, 3));
}
// FULLY_CONNECTED allocates multipliers and shifts only if each row of its
// filter has a separate scale.
std::vector<size_t> QuantizedRows(const Node& node) {
  const TensorSpec* filter = node.input(1);
  const bool is_integer = node.InputIs(0, ElementType::kInt8) ||
                          node.InputIs(0, ElementType::kInt16);
  if (!is_integer || filter == nullptr ||
      filter->quantization.scales.size() <= 1) {
    return {};
  }
  return ChannelLists(node.InputDimension(1, 0));
}

// A kernel that changes the shape of its output allocates memory for the new
// shape.
std::vector<size_t> OutputShape(const Node& node) {
  return {ListBytes(node.OutputRank(0))};
}

// SOFTMAX of INT16 allocates two tables.
std::vector<size_t> SoftmaxTables(const Node& node) {
  constexpr size_t kTableBytes = 1026;
  if (!node.InputIs(0, ElementType::kInt16)) return {};
  return {kTableBytes, kTableBytes};
}

// ADD_N of INT8 allocates its parameters in Prepare. The kernels of other
// operators allocate their parameters in Init.
std::vector<size_t> AddNParameters(const Node& node) {
  return node.InputIs(0, ElementType::kInt8) ? std::vector<size_t>{40}
                                             : std::vector<size_t>();
}

// BATCH_MATMUL allocates its parameters if it computes with integers, memory
// for each operand that it transposes, and the shape of its output.
std::vector<size_t> TransposedSides(const Node& node) {
  const auto* options = node.options<tflite::BatchMatMulOptions>(
      tflite::BuiltinOptions::BatchMatMulOptions);
  std::vector<size_t> bytes;
  const TensorSpec* left = node.input(0);
  if (left != nullptr && left->type != ElementType::kFloat32) {
    bytes.push_back(28);
  }
  const bool is_transposed[] = {options != nullptr && options->adj_x(),
                                options == nullptr || !options->adj_y()};
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const TensorSpec* tensor = node.input(side);
    if (!is_transposed[side] || tensor == nullptr) continue;
    bytes.push_back(3 * node.pointer_bytes());
    bytes.push_back(ListBytes(tensor->shape.size()));
    bytes.push_back(MicroTensorBytes(*tensor));
  }
  bytes.push_back(ListBytes(node.OutputRank(0)));
  return bytes;
}

using BytesOf = std::vector<size_t> (*)(const Node& node);

struct Layout {
  size_t bytes = 0;
  size_t alignment = 1;
};

// The memory that a kernel needs. Structs have different sizes on 64-bit and
// 32-bit devices. The 32-bit sizes follow the ABI of Arm's embedded compilers,
// in which an enumeration occupies one byte.
struct KernelRow {
  absl::string_view name;
  Layout options64;  // the parsed options of the model
  Layout options32;
  size_t data64;  // bytes that Init allocates
  size_t data32;
  BytesOf prepared;  // bytes that Prepare allocates; null if it allocates none
  BytesOf scratch;   // is null if no scratch memory is requested
};

// The custom operators for which TensorFlow Lite Micro has kernels and for
// which this file contains the requested memory.
constexpr absl::string_view kDetection = "TFLite_Detection_PostProcess";
constexpr absl::string_view kEthosU = "ethos-u";

constexpr KernelRow kKernels[] = {
    {"ABS", {}, {}, 28, 20, nullptr, nullptr},
    {"ADD", {8, 4}, {2, 1}, 60, 60, nullptr, nullptr},
    {"ADD_N", {}, {}, 0, 0, AddNParameters, PointersToInputs},
    {"ARG_MAX", {4, 4}, {1, 1}, 0, 0, nullptr, nullptr},
    {"ARG_MIN", {4, 4}, {1, 1}, 0, 0, nullptr, nullptr},
    {"ASSIGN_VARIABLE", {}, {}, 0, 0, nullptr, nullptr},
    {"AVERAGE_POOL_2D", {40, 4}, {40, 4}, 32, 32, nullptr, nullptr},
    {"BATCH_MATMUL", {3, 1}, {3, 1}, 32, 16, TransposedSides, nullptr},
    {"BATCH_TO_SPACE_ND", {}, {}, 0, 0, OutputShape, nullptr},
    {"BROADCAST_ARGS", {}, {}, 0, 0, nullptr, nullptr},
    {"BROADCAST_TO", {}, {}, 0, 0, nullptr, nullptr},
    {"CALL_ONCE", {4, 4}, {4, 4}, 8, 8, nullptr, nullptr},
    {"CAST", {8, 4}, {2, 1}, 0, 0, nullptr, nullptr},
    {"CEIL", {}, {}, 0, 0, nullptr, nullptr},
    {"CONCATENATION", {8, 4}, {8, 4}, 40, 24, nullptr, nullptr},
    {"CONV_2D", {28, 4}, {28, 4}, 72, 56, FilterRows, UnpackedFilter},
    {"COS", {}, {}, 0, 0, nullptr, nullptr},
    {"CUMSUM", {2, 1}, {2, 1}, 36, 36, nullptr, nullptr},
    {"DEPTHWISE_CONV_2D",
     {28, 4},
     {28, 4},
     72,
     56,
     FilterColumns,
     UnpackedFilter},
    {"DEPTH_TO_SPACE", {4, 4}, {4, 4}, 0, 0, OutputShape, nullptr},
    {"DEQUANTIZE", {}, {}, 32, 32, nullptr, nullptr},
    {"DIV", {4, 4}, {1, 1}, 28, 28, nullptr, nullptr},
    {"ELU", {}, {}, 256, 256, nullptr, nullptr},
    {"EMBEDDING_LOOKUP", {}, {}, 16, 8, nullptr, nullptr},
    {"EQUAL", {}, {}, 32, 32, nullptr, nullptr},
    {"EXP", {}, {}, 0, 0, nullptr, nullptr},
    {"EXPAND_DIMS", {}, {}, 0, 0, nullptr, nullptr},
    {"FILL", {}, {}, 0, 0, nullptr, nullptr},
    {"FLOOR", {}, {}, 0, 0, nullptr, nullptr},
    {"FLOOR_DIV", {}, {}, 0, 0, nullptr, nullptr},
    {"FLOOR_MOD", {}, {}, 0, 0, nullptr, nullptr},
    {"FULLY_CONNECTED", {16, 4}, {5, 1}, 64, 48, QuantizedRows, UnpackedFilter},
    {"GATHER", {8, 4}, {8, 4}, 0, 0, OutputShape, nullptr},
    {"GATHER_ND", {}, {}, 0, 0, nullptr, nullptr},
    {"GREATER", {}, {}, 32, 32, nullptr, nullptr},
    {"GREATER_EQUAL", {}, {}, 32, 32, nullptr, nullptr},
    {"HARD_SWISH", {}, {}, 20, 20, nullptr, nullptr},
    {"IF", {8, 4}, {8, 4}, 8, 8, nullptr, nullptr},
    {"L2_NORMALIZATION", {4, 4}, {1, 1}, 4, 4, nullptr, nullptr},
    {"LEAKY_RELU", {4, 4}, {4, 4}, 24, 24, nullptr, nullptr},
    {"LESS", {}, {}, 32, 32, nullptr, nullptr},
    {"LESS_EQUAL", {}, {}, 32, 32, nullptr, nullptr},
    {"LOG", {}, {}, 0, 0, nullptr, nullptr},
    {"LOGICAL_AND", {}, {}, 0, 0, nullptr, nullptr},
    {"LOGICAL_NOT", {}, {}, 0, 0, nullptr, nullptr},
    {"LOGICAL_OR", {}, {}, 0, 0, nullptr, nullptr},
    {"LOGISTIC", {}, {}, 16, 16, nullptr, nullptr},
    {"LOG_SOFTMAX", {}, {}, 40, 28, nullptr, nullptr},
    {"MAXIMUM", {}, {}, 0, 0, nullptr, nullptr},
    {"MAX_POOL_2D", {40, 4}, {40, 4}, 32, 32, nullptr, nullptr},
    {"MEAN", {1, 1}, {1, 1}, 44, 44, nullptr, ReducedSums},
    {"MINIMUM", {}, {}, 0, 0, nullptr, nullptr},
    {"MIRROR_PAD", {4, 4}, {1, 1}, 20, 20, nullptr, PaddedStrides},
    {"MUL", {4, 4}, {1, 1}, 36, 36, nullptr, nullptr},
    {"NEG", {}, {}, 0, 0, nullptr, nullptr},
    {"NOT_EQUAL", {}, {}, 32, 32, nullptr, nullptr},
    {"PACK", {8, 4}, {8, 4}, 0, 0, nullptr, nullptr},
    {"PAD", {}, {}, 56, 56, nullptr, nullptr},
    {"PADV2", {}, {}, 56, 56, nullptr, nullptr},
    {"PRELU", {}, {}, 28, 28, nullptr, nullptr},
    {"QUANTIZE", {}, {}, 32, 32, nullptr, nullptr},
    {"READ_VARIABLE", {}, {}, 0, 0, nullptr, nullptr},
    {"REDUCE_MAX", {1, 1}, {1, 1}, 44, 44, nullptr, ReducedAxes},
    {"REDUCE_MIN", {1, 1}, {1, 1}, 44, 44, nullptr, ReducedAxes},
    {"RELU", {}, {}, 28, 28, nullptr, nullptr},
    {"RELU6", {}, {}, 8, 8, nullptr, nullptr},
    {"RESHAPE", {36, 4}, {36, 4}, 0, 0, nullptr, nullptr},
    {"RESIZE_BILINEAR", {2, 1}, {2, 1}, 0, 0, nullptr, nullptr},
    {"RESIZE_NEAREST_NEIGHBOR", {2, 1}, {2, 1}, 0, 0, nullptr, nullptr},
    {"ROUND", {}, {}, 0, 0, nullptr, nullptr},
    {"RSQRT", {}, {}, 28, 20, nullptr, nullptr},
    {"SHAPE", {4, 4}, {1, 1}, 0, 0, nullptr, nullptr},
    {"SIN", {}, {}, 0, 0, nullptr, nullptr},
    {"SLICE", {}, {}, 0, 0, nullptr, nullptr},
    {"SOFTMAX", {4, 4}, {4, 4}, 80, 56, SoftmaxTables, nullptr},
    {"SPACE_TO_BATCH_ND", {}, {}, 4, 4, OutputShape, nullptr},
    {"SPACE_TO_DEPTH", {4, 4}, {4, 4}, 0, 0, OutputShape, nullptr},
    {"SPLIT", {4, 4}, {4, 4}, 0, 0, nullptr, nullptr},
    {"SPLIT_V", {4, 4}, {4, 4}, 0, 0, nullptr, nullptr},
    {"SQRT", {}, {}, 0, 0, nullptr, nullptr},
    {"SQUARE", {}, {}, 0, 0, nullptr, nullptr},
    {"SQUARED_DIFFERENCE", {}, {}, 112, 112, nullptr, nullptr},
    {"SQUEEZE", {36, 4}, {36, 4}, 0, 0, nullptr, nullptr},
    {"STRIDED_SLICE", {24, 4}, {24, 4}, 84, 84, nullptr, nullptr},
    {"SUB", {8, 4}, {2, 1}, 52, 52, nullptr, nullptr},
    {"SUM", {1, 1}, {1, 1}, 44, 44, nullptr, ReducedSums},
    {"SVDF", {12, 4}, {8, 4}, 36, 36, nullptr, SvdfSums},
    {"TANH", {}, {}, 16, 16, nullptr, nullptr},
    {kDetection, {}, {}, 112, 112, nullptr, DetectionLists},
    {"TRANSPOSE", {}, {}, 0, 0, nullptr, nullptr},
    {"TRANSPOSE_CONV", {20, 4}, {16, 4}, 80, 72, FilterRows, TransposedSums},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM",
     {16, 4},
     {16, 4},
     688,
     688,
     nullptr,
     LstmGates},
    {"UNPACK", {8, 4}, {8, 4}, 0, 0, nullptr, nullptr},
    {"VAR_HANDLE", {16, 8}, {8, 4}, 4, 4, nullptr, nullptr},
    {"WHILE", {8, 4}, {8, 4}, 8, 8, nullptr, nullptr},
    {"ZEROS_LIKE", {}, {}, 0, 0, nullptr, nullptr},
    {kEthosU, {}, {}, 12, 12, nullptr, AddressesAndSizes},
};

const KernelRow* FindKernel(const OperatorSpec& op) {
  for (const KernelRow& row : kKernels) {
    const bool is_custom = row.name == kDetection || row.name == kEthosU;
    if (row.name == op.name && op.is_custom == is_custom) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace

size_t MicroElementBytes(ElementType type) {
  switch (type) {
    case ElementType::kInt4:
      return 1;
    case ElementType::kResource:
      return 4;
    case ElementType::kFloat8E4m3fn:
    case ElementType::kFloat8E5m2:
      return 0;
    default:
      return ElementBytes(type);
  }
}

size_t MicroTensorBytes(const TensorSpec& tensor) {
  return Times(ElementsOf(tensor), MicroElementBytes(tensor.type));
}

bool OutputIsHandle(const OperatorSpec& op) {
  return !op.is_custom && op.name == "VAR_HANDLE";
}

MicroKernel MicroKernelOf(const SubgraphSpec& graph, const OperatorSpec& op,
                          MicroWord word) {
  MicroKernel kernel;
  const KernelRow* row = FindKernel(op);
  if (row == nullptr) return kernel;
  const bool is_wide = word == MicroWord::k64;
  const Layout& options = is_wide ? row->options64 : row->options32;
  const Node node(graph, op, word);
  kernel.is_known = true;
  kernel.options_bytes = options.bytes;
  kernel.options_alignment = options.alignment;
  kernel.data_bytes = is_wide ? row->data64 : row->data32;
  if (row->prepared != nullptr) kernel.prepared = row->prepared(node);
  if (row->scratch != nullptr) kernel.scratch = row->scratch(node);
  return kernel;
}

}  // namespace stowage
