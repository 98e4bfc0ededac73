// SPDX-License-Identifier: Apache-2.0
// Registers UNIDIRECTIONAL_SEQUENCE_LSTM, a long short-term memory that runs
// over a sequence. All variants (lstm.h) are supported for floats, and only the
// basic variant for integers. The input is [batch, time, inputs], or [time,
// batch, inputs] if it is time-major, and the output has the same layout. The
// output of the last step and the cell are variables.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "src/harness/kernels/lstm.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"

namespace stowage::harness::unidirectional_sequence_lstm {
namespace {

namespace in = lstm_input;

// Checks that the inputs of each variant are either all present or all absent.
absl::Status CheckPresence(const OperatorContext& context) {
  const auto has = [&](size_t i) { return context.has_input(i); };
  if (context.input_count() != 20 && context.input_count() != 24) {
    return RefuseModel("it has ", context.input_count(),
                       " inputs; expected 20 or 24");
  }
  for (const size_t i :
       std::initializer_list<size_t>{0, 2, 3, 4, 6, 7, 8, 13, 14, 15, 18, 19}) {
    if (has(i)) continue;
    return RefuseModel(
        "one of its inputs is left out; expected input, weights and biases of "
        "the forget, cell and output gates, and states");
  }
  const bool has_input_gate = has(1);
  if (has(5) != has_input_gate || has(12) != has_input_gate ||
      (!has_input_gate && (has(9) || has(20)))) {
    return RefuseModel(
        "its input gate has weights or a bias, but not all of them; expected "
        "all or none");
  }
  if (has(10) != has(11) || has(9) != (has(10) && has_input_gate) ||
      has(21) != has(22) || has(21) != has(23) ||
      has(20) != (has(21) && has_input_gate) || (has(17) && !has(16))) {
    return RefuseModel(
        "it has peepholes, normalisation or a projection in parts; expected "
        "all of it or none");
  }
  return absl::OkStatus();
}

// Checks that all present inputs in [first, last] are of type `type`.
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
        "coupled input gate; expected the plain variant");
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
                       "; expected a power of two, and 0");
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
                     ShapeText(shape), "; expected ",
                     ShapeText({expected.begin(), expected.end()}));
}

absl::Status CheckState(const OperatorContext& context, size_t i,
                        int64_t batches, int64_t width) {
  const Tensor& state = context.input(i);
  if (state.is_variable && state.elements() == batches * width) {
    return absl::OkStatus();
  }
  return RefuseModel(InputPlace(context, i), ": its shape is ",
                     ShapeText(state.shape), "; expected a variable of ",
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

// Checks the presence, the types and the shapes of the inputs of an LSTM.
// Error: InvalidArgument.
absl::StatusOr<LstmShape> CheckInputs(OperatorContext& context,
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
                       " outputs; expected 1 or more, and without a projection "
                       "as many outputs as cells");
  }
  STOWAGE_RETURN_IF_ERROR(CheckShapes(context, shape));
  return shape;
}

class UnidirectionalSequenceLstm : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 24, 1));
    STOWAGE_RETURN_IF_ERROR(ReadOptions(context));
    STOWAGE_ASSIGN_OR_RETURN(shape_, CheckInputs(context, is_time_major_));
    is_float_ = context.input(in::kInput).type == ElementType::kFloat32;
    if (!is_float_) {
      STOWAGE_ASSIGN_OR_RETURN(factors_, MakeLstmFactors(context, cell_clip_));
    }
    STOWAGE_ASSIGN_OR_RETURN(
        tile_, NewTile(context,
                       std::max({shape_.inputs, shape_.cells, shape_.outputs}),
                       is_float_));
    STOWAGE_ASSIGN_OR_RETURN(
        values_, context.AddTemporary(
                     is_float_ ? ElementType::kFloat32 : ElementType::kInt16,
                     {static_cast<int32_t>(kLstmGates),
                      static_cast<int32_t>(shape_.batches),
                      static_cast<int32_t>(shape_.cells)}));
    Shape output = context.input(in::kInput).shape;
    output[2] = static_cast<int32_t>(shape_.outputs);
    return context.ResizeOutput(0, output);
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (context.output(0).bytes == 0) return absl::OkStatus();
    Tensor& values = context.temporary(values_);
    if (is_float_) {
      RunFloatLstm(context, {context, shape_, tile_, values.as<float>()},
                   cell_clip_, projection_clip_);
    } else {
      RunIntegerLstm(context, {context, shape_, tile_, values.as<int16_t>()},
                     factors_);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ReadOptions(const OperatorContext& context) {
    STOWAGE_ASSIGN_OR_RETURN(
        const auto* const options,
        OptionsOf<tflite::UnidirectionalSequenceLSTMOptions>(context));
    const auto activation = options->fused_activation_function();
    if (activation != tflite::ActivationFunctionType::TANH) {
      return RefuseModel("its activation is number ",
                         static_cast<int>(activation), "; expected TANH");
    }
    if (options->diagonal_recurrent_tensors()) {
      return RefuseModel(
          "its recurrent weights are diagonal; expected matrices");
    }
    is_time_major_ = options->time_major();
    cell_clip_ = options->cell_clip();
    projection_clip_ = options->proj_clip();
    return absl::OkStatus();
  }

  bool is_time_major_ = false;
  float cell_clip_ = 0;
  float projection_clip_ = 0;
  LstmShape shape_;
  bool is_float_ = true;
  LstmFactors factors_;  // is used for integers
  void* tile_ = nullptr;
  size_t values_ = 0;  // a temporary of the shape [gates, batches, cells]
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<UnidirectionalSequenceLstm>(
              "UNIDIRECTIONAL_SEQUENCE_LSTM",
              "a long short-term memory over a sequence, of floats in all its "
              "variants (lstm.h), or of integers in the plain one")
              .OfVersions(1, 4)};
}

}  // namespace stowage::harness::unidirectional_sequence_lstm
