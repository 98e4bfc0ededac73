// UNIDIRECTIONAL_SEQUENCE_LSTM: a long short-term memory over a sequence, of
// floats in all its variants (lstm.h), or of integers in the plain one. Input
// [batch, time, inputs], or [time, batch, inputs] if it is time-major; output
// likewise. The output of the last step and the cell are variables.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/lstm.h"
#include "src/harness/kernels/lstm_float.h"
#include "src/harness/kernels/lstm_integer.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile_memory.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::unidirectional_sequence_lstm {
namespace {

using tflite::UnidirectionalSequenceLSTMOptions;
namespace in = lstm_input;

bool HasAll(const OperatorContext& context,
            std::initializer_list<size_t> inputs) {
  return std::all_of(inputs.begin(), inputs.end(),
                     [&](size_t i) { return context.has_input(i); });
}

bool HasAny(const OperatorContext& context,
            std::initializer_list<size_t> inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](size_t i) { return context.has_input(i); });
}

absl::Status CheckOptions(const UnidirectionalSequenceLSTMOptions& options) {
  const auto activation = options.fused_activation_function();
  if (activation != tflite::ActivationFunctionType::TANH) {
    return absl::InvalidArgumentError(absl::StrCat("its activation is number ",
                                                   static_cast<int>(activation),
                                                   ": expected TANH"));
  }
  if (options.diagonal_recurrent_tensors()) {
    return absl::InvalidArgumentError(
        "its recurrent weights are diagonal: expected matrices");
  }
  return absl::OkStatus();
}

// Which variant it is: the inputs of each are there or left out together.
absl::Status CheckPresence(const OperatorContext& context) {
  if (context.input_count() != 20 && context.input_count() != 24) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it has ", context.input_count(), " inputs: expected 20 or 24"));
  }
  if (!HasAll(context, {0, 2, 3, 4, 6, 7, 8, 13, 14, 15, 18, 19})) {
    return absl::InvalidArgumentError(
        "one of its inputs is left out: expected input, weights and biases of "
        "the forget, cell and output gates, and states");
  }
  const bool is_coupled = !context.has_input(1);
  if (is_coupled ? HasAny(context, {5, 9, 12, 20})
                 : !HasAll(context, {5, 12})) {
    return absl::InvalidArgumentError(
        "its input gate has weights or a bias, but not all of them: expected "
        "all or none");
  }
  const bool has_peepholes = HasAny(context, {9, 10, 11});
  const bool has_norms = HasAny(context, {20, 21, 22, 23});
  if ((has_peepholes && !HasAll(context, {10, 11})) ||
      (has_norms && !HasAll(context, {21, 22, 23})) ||
      (!is_coupled && ((has_peepholes && !context.has_input(9)) ||
                       (has_norms && !context.has_input(20)))) ||
      (context.has_input(17) && !context.has_input(16))) {
    return absl::InvalidArgumentError(
        "it has peepholes, normalisation or a projection in parts: expected "
        "all of it or none");
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
  return absl::InvalidArgumentError(absl::StrCat(
      InputPlace(context, i), ": its shape is ", ShapeText(shape),
      ": expected ", ShapeText({expected.begin(), expected.end()})));
}

absl::Status CheckState(const OperatorContext& context, size_t i,
                        int64_t batches, int64_t width) {
  const Tensor& state = context.input(i);
  if (state.is_variable && state.elements() == batches * width) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      InputPlace(context, i), ": its shape is ", ShapeText(state.shape),
      ": expected a variable of ", batches, " times ", width, " elements"));
}

absl::StatusOr<LstmShape> MakeShape(
    const OperatorContext& context,
    const UnidirectionalSequenceLSTMOptions& options) {
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, in::kInput, 3, 3));
  constexpr size_t kWeights = in::kInputWeights + kOutputGate;
  constexpr size_t kRecurrent = in::kRecurrentWeights + kOutputGate;
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, kWeights, 2, 2));
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, kRecurrent, 2, 2));
  const Tensor& input = context.input(in::kInput);
  LstmShape shape;
  shape.is_time_major = options.time_major();
  shape.batches = input.dim(shape.is_time_major ? 1 : 0);
  shape.steps = input.dim(shape.is_time_major ? 0 : 1);
  shape.inputs = input.dim(2);
  shape.cells = context.input(kWeights).dim(0);
  shape.outputs = context.input(kRecurrent).dim(1);
  if (shape.cells < 1 || shape.outputs < 1 || shape.inputs < 1 ||
      (!context.has_input(in::kProjection) && shape.outputs != shape.cells)) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", shape.inputs, " inputs, ", shape.cells,
                     " cells and ", shape.outputs,
                     " outputs: expected 1 or more, and without a projection "
                     "as many outputs as cells"));
  }
  return shape;
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
  if (HasAny(context, {9, 10, 11, 16, 17, 20, 21, 22, 23}) ||
      !context.has_input(1)) {
    return absl::InvalidArgumentError(
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
    return absl::InvalidArgumentError(
        absl::StrCat(InputPlace(context, in::kCellState), ": its scale is ",
                     cell.scale(), ", its zero point ", cell.zero_point(),
                     ": expected a power of two, and 0"));
  }
  return absl::OkStatus();
}

// A factor of fixed point. Error: InvalidArgument if there is none.
absl::Status SetFactor(double real, Multiplier& factor) {
  if (!std::isfinite(real)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its scales give a factor of ", real, ": expected a finite one"));
  }
  factor = QuantizeMultiplier(real);
  return absl::OkStatus();
}

class UnidirectionalSequenceLstm : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 24, 1));
    const absl::StatusOr<const UnidirectionalSequenceLSTMOptions*> options =
        OptionsOf<UnidirectionalSequenceLSTMOptions>(context.spec());
    if (!options.ok()) return options.status();
    STOWAGE_RETURN_IF_ERROR(CheckOptions(**options));
    STOWAGE_RETURN_IF_ERROR(CheckPresence(context));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, in::kInput, {ElementType::kFloat32, ElementType::kInt8}));
    const ElementType type = context.input(in::kInput).type;
    is_float_ = type == ElementType::kFloat32;
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {type}));
    STOWAGE_RETURN_IF_ERROR(is_float_ ? CheckTypes(context, 1, 23, type)
                                      : CheckIntegers(context));
    const absl::StatusOr<LstmShape> shape = MakeShape(context, **options);
    if (!shape.ok()) return shape.status();
    shape_ = *shape;
    STOWAGE_RETURN_IF_ERROR(CheckShapes(context, shape_));
    STOWAGE_RETURN_IF_ERROR(is_float_ ? PrepareFloat(**options)
                                      : PrepareInteger(context, **options));
    STOWAGE_RETURN_IF_ERROR(tile_.Prepare(
        context, std::max({shape_.inputs, shape_.cells, shape_.outputs}),
        is_float_));
    const absl::StatusOr<size_t> values = context.AddTemporary(
        is_float_ ? ElementType::kFloat32 : ElementType::kInt16,
        {static_cast<int32_t>(kLstmGates), static_cast<int32_t>(shape_.batches),
         static_cast<int32_t>(shape_.cells)});
    if (!values.ok()) return values.status();
    values_ = *values;
    Shape output = context.input(in::kInput).shape;
    output[2] = static_cast<int32_t>(shape_.outputs);
    return context.ResizeOutput(0, output);
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (context.output(0).bytes == 0) return absl::OkStatus();
    if (is_float_) {
      InvokeFloat(context);
    } else {
      InvokeInteger(context);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status PrepareFloat(const UnidirectionalSequenceLSTMOptions& options) {
    float_ = LstmFloat();
    float_.shape = shape_;
    float_.cell_clip = options.cell_clip();
    float_.projection_clip = options.proj_clip();
    return absl::OkStatus();
  }

  absl::Status PrepareInteger(
      OperatorContext& context,
      const UnidirectionalSequenceLSTMOptions& options) {
    const auto quantization = [&](size_t i) -> const Quantization& {
      return context.input(i).quantization;
    };
    const Quantization& input = quantization(in::kInput);
    const Quantization& output = quantization(in::kOutputState);
    integer_ = LstmInteger();
    integer_.shape = shape_;
    integer_.input_zero = input.zero_point();
    integer_.output_zero = output.zero_point();
    integer_.cell_scale = quantization(in::kCellState).scale();
    // The products of two scales have 32 bits, as in the reference kernels.
    for (size_t g = 0; g < kLstmGates; ++g) {
      LstmIntegerGate& gate = integer_.gates[g];
      const Quantization& weights = quantization(in::kInputWeights + g);
      const Quantization& recurrent = quantization(in::kRecurrentWeights + g);
      gate.input_weights_zero = weights.zero_point();
      gate.recurrent_weights_zero = recurrent.zero_point();
      STOWAGE_RETURN_IF_ERROR(
          SetFactor(std::ldexp(double{input.scale() * weights.scale()}, 12),
                    gate.input_factor));
      STOWAGE_RETURN_IF_ERROR(
          SetFactor(std::ldexp(double{output.scale() * recurrent.scale()}, 12),
                    gate.recurrent_factor));
    }
    const double cell = integer_.cell_scale;
    STOWAGE_RETURN_IF_ERROR(
        SetFactor(std::ldexp(1.0, -15), integer_.forget_factor));
    STOWAGE_RETURN_IF_ERROR(
        SetFactor(std::ldexp(1.0, -30) / cell, integer_.input_factor));
    STOWAGE_RETURN_IF_ERROR(SetFactor(
        std::ldexp(1.0, -30) / double{output.scale()}, integer_.output_factor));
    const double clip = double{options.cell_clip()} / cell;
    integer_.cell_clip =
        clip > 0 ? static_cast<int16_t>(std::min(clip, 32767.0)) : int16_t{0};
    return absl::OkStatus();
  }

  template <typename T>
  static const T* Optional(const OperatorContext& context, size_t i) {
    return context.has_input(i) ? context.input(i).as<T>() : nullptr;
  }

  void InvokeFloat(OperatorContext& context) {
    for (size_t g = 0; g < kLstmGates; ++g) {
      LstmFloatGate& gate = float_.gates[g];
      gate.input_weights = Optional<float>(context, in::kInputWeights + g);
      gate.recurrent_weights =
          Optional<float>(context, in::kRecurrentWeights + g);
      gate.peephole = Optional<float>(context, in::kPeephole[g]);
      gate.bias = Optional<float>(context, in::kBias + g);
      gate.normalization = Optional<float>(context, in::kNormalization + g);
      float_.values[g] = Values<float>(context, g);
    }
    float_.projection = Optional<float>(context, in::kProjection);
    float_.projection_bias = Optional<float>(context, in::kProjectionBias);
    float_.tile = tile_.For<float>();
    RunLstm(float_, context.input(in::kInput).as<float>(),
            context.variable(in::kOutputState).as<float>(),
            context.variable(in::kCellState).as<float>(),
            context.output(0).as<float>());
  }

  void InvokeInteger(OperatorContext& context) {
    for (size_t g = 0; g < kLstmGates; ++g) {
      LstmIntegerGate& gate = integer_.gates[g];
      gate.input_weights = Optional<int8_t>(context, in::kInputWeights + g);
      gate.recurrent_weights =
          Optional<int8_t>(context, in::kRecurrentWeights + g);
      gate.bias = Optional<int32_t>(context, in::kBias + g);
      integer_.values[g] = Values<int16_t>(context, g);
    }
    integer_.tile = tile_.For<int8_t>();
    RunLstm(integer_, context.input(in::kInput).as<int8_t>(),
            context.variable(in::kOutputState).as<int8_t>(),
            context.variable(in::kCellState).as<int16_t>(),
            context.output(0).as<int8_t>());
  }

  // The values of a gate.
  template <typename T>
  T* Values(OperatorContext& context, size_t gate) {
    return context.temporary(values_).as<T>() +
           static_cast<int64_t>(gate) * shape_.batches * shape_.cells;
  }

  LstmShape shape_;
  bool is_float_ = true;
  LstmFloat float_;
  LstmInteger integer_;
  TileMemory tile_;
  size_t values_ = 0;  // temporary: [gates, batches, cells]
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("UNIDIRECTIONAL_SEQUENCE_LSTM")
              .Computes(
                  "a long short-term memory over a sequence, of floats in all "
                  "its variants (lstm.h), or of integers in the plain one")
              .OfVersions(1, 4)
              .Creates<UnidirectionalSequenceLstm>()};
}

}  // namespace stowage::harness::unidirectional_sequence_lstm
