// SPDX-License-Identifier: Apache-2.0
// Implements the common part of operators that compute sums of products of
// inputs and weights: checks the types, and computes an output from each sum.
// These combinations of types are valid:
//
//   input   weights          bias            output
//   FLOAT32 FLOAT32          FLOAT32         FLOAT32
//   FLOAT32 INT8             FLOAT32         FLOAT32   hybrid
//   UINT8   UINT8            INT32           UINT8
//   INT8    INT8             INT32           INT8
//   INT16   INT8             INT64 or INT32  INT16
//
// The bias is optional. Weights have one scale, or one scale for each output
// channel. A hybrid operator quantizes its input at run time and then sums
// integers. It quantizes each batch separately, by the range of the values in
// the batch.
//
// Source: TensorFlow Lite's "8-bit quantization specification"; for hybrid
// operators, its "Post-training dynamic range quantization".
#ifndef STOWAGE_SRC_HARNESS_KERNELS_LINEAR_H_
#define STOWAGE_SRC_HARNESS_KERNELS_LINEAR_H_

#include <algorithm>

#include "absl/types/span.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness {

// Each of the classes below computes an output from a sum, for one kind of
// operator. All of them have these members:
//   Sum, the type of the sums, and Output, the type of the outputs;
//   input_zero(batch), which returns the zero point of the inputs;
//   operator()(batch, channel, sum), which returns the output.
struct FloatStage {
  using Output = float;
  using Sum = float;
  const float* bias = nullptr;
  Range<float> range = {};

  static int32_t input_zero(int64_t /*batch*/) { return 0; }
  float operator()(int64_t /*batch*/, int64_t channel, float sum) const {
    return range.Clamp(bias == nullptr ? sum : sum + bias[channel]);
  }
};

struct HybridStage {
  using Output = float;
  using Sum = int64_t;
  const float* bias = nullptr;
  Range<float> range = {0, 0};
  const float* weight_scales = nullptr;
  size_t scale_step = 0;  // is 0 if all channels have one scale
  const float* input_scales = nullptr;
  const int32_t* input_zeros = nullptr;

  int32_t input_zero(int64_t batch) const { return input_zeros[batch]; }
  float operator()(int64_t batch, int64_t channel, int64_t sum) const {
    const float scale =
        weight_scales[static_cast<size_t>(channel) * scale_step] *
        input_scales[batch];
    const float real = static_cast<float>(sum) * scale;
    return range.Clamp(bias == nullptr ? real : real + bias[channel]);
  }
};

template <typename T, typename Bias>
struct IntegerStage {
  using Output = T;
  using Sum = int64_t;
  const Bias* bias = nullptr;
  const Multiplier* factors = nullptr;
  int32_t zero_of_input = 0;  // is 0 for 16-bit inputs
  QuantizedOutput output;

  int32_t input_zero(int64_t /*batch*/) const { return zero_of_input; }
  T operator()(int64_t /*batch*/, int64_t channel, int64_t sum) const {
    return static_cast<T>(
        output.At(Multiply(Biased(channel, sum), factors[channel])));
  }

 private:
  auto Biased(int64_t channel, int64_t sum) const {
    if constexpr (sizeof(Bias) < sizeof(int64_t)) {
      // The sum wraps at 32 bits, as in kernels with 32-bit accumulators.
      return static_cast<int32_t>(bias == nullptr ? sum : sum + bias[channel]);
    } else {
      // Multiply requires that sums are within these limits. The biases of
      // 16-bit operators do not exceed them.
      constexpr int64_t kLimit = (int64_t{1} << 46) - 1;
      const int64_t within = std::clamp(sum, -kLimit, kLimit);
      return bias == nullptr
                 ? within
                 : within + std::clamp(bias[channel], -kLimit, kLimit);
    }
  }
};

// Everything that one run of an operator needs: pointers to its elements as C++
// types, and the stage that computes outputs from sums.
template <typename InputType, typename Weight, typename Stage>
struct LinearRun {
  using Input = InputType;
  const Input* input;
  const Weight* weights;
  typename Stage::Output* output;
  int32_t weights_zero;
  void* tile;
  Stage stage;

  // Returns the weights from element `at` on as a matrix [rows, depth].
  TileWeights<Weight> WeightsAt(int64_t at, int64_t rows, int64_t depth) const {
    return {weights + at, rows, depth, weights_zero};
  }
};

// The positions of the input, the weights and the bias among the inputs of the
// operator, and a description of its sums.
struct LinearRoles {
  size_t input = 0;
  size_t weights = 1;
  size_t bias = 2;
  // The dimension of the weights that indexes output channels.
  int channel_dimension = 0;
  int64_t channels = 0;
  // The number of parts of the input that a hybrid operator quantizes
  // separately.
  int64_t batches = 1;
  // The depth of the tile (tile.h) with which the operator runs, or 0 if the
  // operator needs no tile.
  int64_t tile_depth = 0;
  // True if the factor of weights with a single scale is computed as in
  // FULLY_CONNECTED: from the product of the scales of input and weights,
  // rounded to a 32-bit float. For UINT8, the product is always rounded.
  bool has_float_products = false;
  // True if an operator with INT16 inputs and no bias sums in 64 bits.
  bool is_wide_without_bias = false;
  // The next two members apply only to hybrid operators. If
  // has_asymmetric_inputs is true, inputs are always quantized with a zero
  // point. If is_asymmetric_per_channel is true, inputs are quantized with a
  // zero point if the weights have a scale for each channel.
  bool has_asymmetric_inputs = false;
  bool is_asymmetric_per_channel = false;
};

class Linear {
 public:
  // Checks types, quantization and bias, and computes the factors. Errors:
  // InvalidArgument if the model is not supported; those of NewPersistent and
  // AddTemporary.
  absl::Status Prepare(OperatorContext& context, const LinearRoles& roles,
                       FusedActivation activation);

  // Calls run(LinearRun) with the types and tensors of this operator.
  template <typename Run>
  void Invoke(OperatorContext& context, const Run& run) {
    switch (kind_) {
      case Kind::kFloat:
        return Call<float, float>(
            context, context.input(roles_.input),
            FloatStage{OptionalInput<float>(context, roles_.bias),
                       float_range_},
            run);
      case Kind::kHybrid: {
        Tensor& quantized = context.temporary(quantized_input_);
        QuantizeInput(context.input(roles_.input), quantized);
        return Call<int8_t, int8_t>(context, quantized,
                                    MakeHybridStage(context), run);
      }
      case Kind::kUint8:
        return CallInteger<uint8_t, uint8_t, int32_t>(context, run);
      case Kind::kInt8:
        return CallInteger<int8_t, int8_t, int32_t>(context, run);
      case Kind::kInt16:
        return CallInteger<int16_t, int8_t, int32_t>(context, run);
      case Kind::kWideInt16:
        return CallInteger<int16_t, int8_t, int64_t>(context, run);
    }
  }

 private:
  enum class Kind { kFloat, kHybrid, kUint8, kInt8, kInt16, kWideInt16 };

  absl::Status PrepareKind(OperatorContext& context);
  absl::Status PrepareBias(OperatorContext& context);
  absl::Status PrepareWeights(OperatorContext& context);
  absl::Status PrepareFactors(OperatorContext& context);
  absl::Status PrepareHybrid(OperatorContext& context);
  void QuantizeInput(const Tensor& input, Tensor& quantized);
  HybridStage MakeHybridStage(OperatorContext& context) const;
  template <typename Input, typename Weight, typename Stage, typename Run>
  void Call(OperatorContext& context, const Tensor& input, const Stage& stage,
            const Run& run) {
    run(LinearRun<Input, Weight, Stage>{
        input.as<Input>(), context.input(roles_.weights).as<Weight>(),
        context.output(0).as<typename Stage::Output>(), weights_zero_, tile_,
        stage});
  }
  template <typename Input, typename Weight, typename BiasType, typename Run>
  void CallInteger(OperatorContext& context, const Run& run) {
    const Tensor& input = context.input(roles_.input);
    const IntegerStage<Input, BiasType> stage{
        OptionalInput<BiasType>(context, roles_.bias), factors_.data(),
        input.quantization.zero_point(), output_};
    Call<Input, Weight>(context, input, stage, run);
  }

  LinearRoles roles_;
  Kind kind_ = Kind::kFloat;
  bool has_bias_ = false;
  int32_t weights_zero_ = 0;
  Range<float> float_range_ = {0, 0};
  QuantizedOutput output_;
  void* tile_ = nullptr;
  absl::Span<Multiplier> factors_;
  bool has_asymmetric_inputs_ = false;
  // The index of the temporary with the quantized input of a hybrid operator.
  size_t quantized_input_ = 0;
  absl::Span<float> input_scales_;
  absl::Span<int32_t> input_zeros_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_LINEAR_H_
