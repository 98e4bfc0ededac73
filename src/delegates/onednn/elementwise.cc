// SPDX-License-Identifier: Apache-2.0
// Describes operators on floats that compute each element, or each row,
// independently of the others.
#include <algorithm>
#include <utility>

#include "src/delegates/onednn/operation.h"

namespace stowage::harness::onednn {
namespace {

using dnnl::algorithm;
using Dims = dnnl::memory::dims;

constexpr auto kInference = dnnl::prop_kind::forward_inference;

struct Function {
  absl::string_view name;
  algorithm number;
  float alpha;
  float beta;
};

constexpr Function kFunctions[] = {
    {"RELU", algorithm::eltwise_relu, 0, 0},
    {"RELU6", algorithm::eltwise_clip, 0, 6},
    {"RELU_N1_TO_1", algorithm::eltwise_clip, -1, 1},
    // The alpha of LEAKY_RELU comes from the options of the operator.
    {"LEAKY_RELU", algorithm::eltwise_relu, 0, 0},
    {"HARD_SWISH", algorithm::eltwise_hardswish, 0, 0},
    {"LOGISTIC", algorithm::eltwise_logistic, 0, 0},
    {"TANH", algorithm::eltwise_tanh, 0, 0},
};

// Returns the dimensions of a shape, preceded by dimensions of 1 if there are
// fewer than `rank`.
Dims DimsOf(const Shape& shape, size_t rank) {
  Dims dims(rank - shape.size(), 1);
  dims.insert(dims.end(), shape.begin(), shape.end());
  return dims;
}

dnnl::memory::desc PlainDesc(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size() - 1; d > 0; --d) {
    strides[d - 1] = strides[d] * dims[d];
  }
  return {dims, dnnl::memory::data_type::f32, strides};
}

algorithm BinaryAlgorithm(absl::string_view name) {
  if (name == "ADD") return algorithm::binary_add;
  return name == "SUB" ? algorithm::binary_sub : algorithm::binary_mul;
}

}  // namespace

absl::StatusOr<Operation> DescribeUnary(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckData({0}, false));
  Function function = *std::find_if(
      std::begin(kFunctions), std::end(kFunctions),
      [&](const Function& row) { return row.name == node.spec().name; });
  if (function.name == "LEAKY_RELU") {
    STOWAGE_ASSIGN_OR_RETURN(function.alpha, LeakyReluAlphaOf(node.spec()));
  }
  STOWAGE_ASSIGN_OR_RETURN(
      const auto attributes,
      MakeAttributes(node.output(), FusedActivation::kNone));
  const auto desc = PlainDesc({node.output().elements()});
  Operation operation;
  STOWAGE_ASSIGN_OR_RETURN(
      operation.primitive,
      MakePrimitive<dnnl::eltwise_forward>(node.engine(), attributes,
                                           kInference, function.number, desc,
                                           function.alpha, function.beta));
  operation.inputs = {node.Read(DNNL_ARG_SRC, 0, desc)};
  operation.output = node.Written(desc);
  operation.in_place = InPlace::kInput0;
  return operation;
}

absl::StatusOr<Operation> DescribeBinary(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckData({0, 1}, false));
  size_t first = 0;
  size_t second = 1;
  // oneDNN can broadcast only the second input, so the first input must have
  // the shape of the result.
  const auto has_result_shape = [&](size_t i) {
    return node.input(i).shape == node.output().shape;
  };
  if (!has_result_shape(0) && node.spec().name != "SUB") {
    std::swap(first, second);
  }
  if (!has_result_shape(first)) {
    return Refuse("input ", first, ": ", ShapeText(node.input(first).shape),
                  "; expected the shape of the output, ",
                  ShapeText(node.output().shape));
  }
  STOWAGE_ASSIGN_OR_RETURN(const auto activation,
                           ArithmeticActivationOf(node.spec()));
  STOWAGE_ASSIGN_OR_RETURN(const auto attributes,
                           MakeAttributes(node.output(), activation));
  const size_t rank = std::max<size_t>(1, node.output().shape.size());
  const auto desc = PlainDesc(DimsOf(node.output().shape, rank));
  const auto stretched = PlainDesc(DimsOf(node.input(second).shape, rank));
  Operation operation;
  STOWAGE_ASSIGN_OR_RETURN(
      operation.primitive,
      MakePrimitive<dnnl::binary>(node.engine(), attributes,
                                  BinaryAlgorithm(node.spec().name), desc,
                                  stretched, desc));
  operation.inputs = {node.Read(DNNL_ARG_SRC_0, first, desc),
                      node.Read(DNNL_ARG_SRC_1, second, stretched)};
  operation.output = node.Written(desc);
  operation.in_place = InPlace::kInput0;
  return operation;
}

absl::StatusOr<Operation> DescribeSoftmax(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckData({0}, false));
  STOWAGE_ASSIGN_OR_RETURN(const float beta, SoftmaxBetaOf(node.spec()));
  if (beta != 1.0F || node.output().rank() == 0) {
    return Refuse("its beta is ", beta, "; expected 1");
  }
  STOWAGE_ASSIGN_OR_RETURN(
      const auto attributes,
      MakeAttributes(node.output(), FusedActivation::kNone));
  const auto desc = RowsDesc(node.output(), node.output().dim(-1));
  Operation operation;
  STOWAGE_ASSIGN_OR_RETURN(operation.primitive,
                           MakePrimitive<dnnl::softmax_forward>(
                               node.engine(), attributes, kInference, desc, 1));
  operation.inputs = {node.Read(DNNL_ARG_SRC, 0, desc)};
  operation.output = node.Written(desc);
  operation.in_place = InPlace::kInput0;
  return operation;
}

}  // namespace stowage::harness::onednn
