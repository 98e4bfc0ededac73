// SPDX-License-Identifier: Apache-2.0
// The inputs of LSTMs: which there are, of which types and shapes.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "src/harness/kernels/dispatch_type.h"
#include "src/harness/kernels/lstm.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness {
namespace {

namespace in = lstm_input;

// Which variant it is: the inputs of each are there or left out together.
absl::Status CheckPresence(const OperatorContext& context) {
  const auto has = [&](size_t i) { return context.has_input(i); };
  if (context.input_count() != 20 && context.input_count() != 24) {
    return RefuseModel("it has ", context.input_count(),
                       " inputs: expected 20 or 24");
  }
  for (const size_t i :
       std::initializer_list<size_t>{0, 2, 3, 4, 6, 7, 8, 13, 14, 15, 18, 19}) {
    if (has(i)) continue;
    return RefuseModel(
        "one of its inputs is left out: expected input, weights and biases of "
        "the forget, cell and output gates, and states");
  }
  const bool has_input_gate = has(1);
  if (has(5) != has_input_gate || has(12) != has_input_gate ||
      (!has_input_gate && (has(9) || has(20)))) {
    return RefuseModel(
        "its input gate has weights or a bias, but not all of them: expected "
        "all or none");
  }
  if (has(10) != has(11) || has(9) != (has(10) && has_input_gate) ||
      has(21) != has(22) || has(21) != has(23) ||
      has(20) != (has(21) && has_input_gate) || (has(17) && !has(16))) {
    return RefuseModel(
        "it has peepholes, normalisation or a projection in parts: expected "
        "all of it or none");
  }
  return absl::OkStatus();
}

// Type `type` of all inputs in [first, last] that are there.
absl::Status CheckTypes(const OperatorContext& context, size_t first,
                        size_t last, ElementType type) {
  for (size_t i = first; i <= last; ++i) {
    if (!context.has_input(i)) continue;
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, i, {type}));
  }
  return absl::OkStatus();
}

absl::Status CheckIntegers(OperatorContext& context) {
  for (const size_t i : std::initializer_list<size_t>{1, 10, 16, 21}) {
    if (context.has_input(i) == (i == in::kInputWeights)) continue;
    return RefuseModel(
        "it is of integers and has peepholes, a projection, normalisation or a "
        "coupled input gate: expected the plain variant");
  }
  STOWAGE_RETURN_IF_ERROR(CheckTypes(context, 1, 8, ElementType::kInt8));
  STOWAGE_RETURN_IF_ERROR(CheckTypes(context, 12, 15, ElementType::kInt32));
  STOWAGE_RETURN_IF_ERROR(
      CheckInputType(context, in::kOutputState, {ElementType::kInt8}));
  STOWAGE_RETURN_IF_ERROR(
      CheckInputType(context, in::kCellState, {ElementType::kInt16}));
  for (const size_t i :
       std::initializer_list<size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 18, 19}) {
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, i));
  }
  const Quantization& cell = context.input(in::kCellState).quantization;
  int exponent = 0;
  if (std::frexp(cell.scale(), &exponent) != 0.5F || cell.zero_point() != 0) {
    return RefuseModel(InputPlace(context, in::kCellState), ": its scale is ",
                       cell.scale(), ", its zero point ", cell.zero_point(),
                       ": expected a power of two, and 0");
  }
  return absl::OkStatus();
}

absl::Status CheckShape(const OperatorContext& context, size_t i,
                        std::initializer_list<int64_t> expected) {
  if (!context.has_input(i)) return absl::OkStatus();
  const Shape& shape = context.input(i).shape;
  if (std::equal(shape.begin(), shape.end(), expected.begin(),
                 expected.end())) {
    return absl::OkStatus();
  }
  return RefuseModel(InputPlace(context, i), ": its shape is ",
                     ShapeText(shape), ": expected ",
                     ShapeText({expected.begin(), expected.end()}));
}

absl::Status CheckState(const OperatorContext& context, size_t i,
                        int64_t batches, int64_t width) {
  const Tensor& state = context.input(i);
  if (state.is_variable && state.elements() == batches * width) {
    return absl::OkStatus();
  }
  return RefuseModel(InputPlace(context, i), ": its shape is ",
                     ShapeText(state.shape), ": expected a variable of ",
                     batches, " times ", width, " elements");
}

absl::Status CheckShapes(const OperatorContext& context,
                         const LstmShape& shape) {
  for (size_t g = 0; g < kLstmGates; ++g) {
    STOWAGE_RETURN_IF_ERROR(CheckShape(context, in::kInputWeights + g,
                                       {shape.cells, shape.inputs}));
    STOWAGE_RETURN_IF_ERROR(CheckShape(context, in::kRecurrentWeights + g,
                                       {shape.cells, shape.outputs}));
    STOWAGE_RETURN_IF_ERROR(CheckShape(context, in::kBias + g, {shape.cells}));
    STOWAGE_RETURN_IF_ERROR(
        CheckShape(context, in::kNormalization + g, {shape.cells}));
    STOWAGE_RETURN_IF_ERROR(
        CheckShape(context, in::kPeephole[g], {shape.cells}));
  }
  STOWAGE_RETURN_IF_ERROR(
      CheckShape(context, in::kProjection, {shape.outputs, shape.cells}));
  STOWAGE_RETURN_IF_ERROR(
      CheckShape(context, in::kProjectionBias, {shape.outputs}));
  STOWAGE_RETURN_IF_ERROR(
      CheckState(context, in::kOutputState, shape.batches, shape.outputs));
  return CheckState(context, in::kCellState, shape.batches, shape.cells);
}

}  // namespace

absl::StatusOr<LstmShape> CheckLstmInputs(OperatorContext& context,
                                          bool is_time_major) {
  STOWAGE_RETURN_IF_ERROR(CheckPresence(context));
  STOWAGE_RETURN_IF_ERROR(
      CheckInputType(context, in::kInput, TypeList<float, int8_t>()));
  const ElementType type = context.input(in::kInput).type;
  STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {type}));
  STOWAGE_RETURN_IF_ERROR(type == ElementType::kFloat32
                              ? CheckTypes(context, 1, 23, type)
                              : CheckIntegers(context));
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, in::kInput, 3, 3));
  constexpr size_t kWeights = in::kInputWeights + kOutputGate;
  constexpr size_t kRecurrent = in::kRecurrentWeights + kOutputGate;
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, kWeights, 2, 2));
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, kRecurrent, 2, 2));
  const Tensor& input = context.input(in::kInput);
  LstmShape shape;
  shape.is_time_major = is_time_major;
  shape.batches = input.dim(shape.is_time_major ? 1 : 0);
  shape.steps = input.dim(shape.is_time_major ? 0 : 1);
  shape.inputs = input.dim(2);
  shape.cells = context.input(kWeights).dim(0);
  shape.outputs = context.input(kRecurrent).dim(1);
  if (shape.cells < 1 || shape.outputs < 1 || shape.inputs < 1 ||
      (!context.has_input(in::kProjection) && shape.outputs != shape.cells)) {
    return RefuseModel("it has ", shape.inputs, " inputs, ", shape.cells,
                       " cells and ", shape.outputs,
                       " outputs: expected 1 or more, and without a projection "
                       "as many outputs as cells");
  }
  STOWAGE_RETURN_IF_ERROR(CheckShapes(context, shape));
  return shape;
}

}  // namespace stowage::harness
