// SPDX-License-Identifier: Apache-2.0
// Registers the activations, one in each row of a table. Activations are
// elementwise operators with one input and one output of the same type and
// shape, which may have different scales. PRELU has a second input with its
// slopes. Functions without quantized arithmetic are in unary_functions.cc.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "gemmlowp/fixedpoint/fixedpoint.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/sigmoid16.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::activations {
namespace {

// The functions that compute an activation for one operator: `real` for
// FLOAT32, which may be called with the same pointer as `in` and `out`, and
// `quantized` for all other types.
struct Activation {
  std::function<void(const float* in, float* out, int64_t count)> real;
  std::function<int32_t(int32_t value)> quantized;
};

// Returns the activation that computes f(x) for each FLOAT32 element.
template <typename F>
Activation RealActivation(F f) {
  return {[f](const float* in, float* out, int64_t count) {
            ForEachElement(in, out, count, f);
          },
          nullptr};
}

// A function that creates the activation of an operator. The kernel calls it in
// Prepare, after the types and, for quantized types, the scales have been
// checked.
using Make = std::function<absl::StatusOr<Activation>(OperatorContext&)>;

// Computes an activation. For 8-bit values, Prepare computes a table in which
// Invoke looks up the results.
template <typename Types>
class ActivationKernel : public Kernel {
 public:
  explicit ActivationKernel(Make make) : make_(std::move(make)) {}

  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 1, Types()));
    const Tensor& input = context.input(0);
    if (input.type != ElementType::kFloat32) {
      STOWAGE_RETURN_IF_ERROR(CheckAllQuantized(context));
    }
    STOWAGE_ASSIGN_OR_RETURN(activation_, make_(context));
    if (ElementBytes(input.type) == 1) {
      const int32_t first = input.type == ElementType::kInt8 ? -128 : 0;
      for (int32_t value = first; value < first + 256; ++value) {
        table_[static_cast<uint8_t>(value)] =
            static_cast<uint8_t>(activation_.quantized(value));
      }
    }
    return context.ResizeOutput(0, input.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    const int64_t count = input.elements();
    if (input.type == ElementType::kFloat32) {
      activation_.real(input.as<float>(), output.as<float>(), count);
    } else if (input.type == ElementType::kInt16) {
      ForEachElement(input.as<int16_t>(), output.as<int16_t>(), count,
                     [this](int16_t x) {
                       return static_cast<int16_t>(activation_.quantized(x));
                     });
    } else {
      // The bytes of INT8 values are read as UINT8, because they are used as
      // indices of the table.
      ForEachElement(input.as<uint8_t>(), output.as<uint8_t>(), count,
                     [this](uint8_t value) { return table_[value]; });
    }
    return absl::OkStatus();
  }

 private:
  Make make_;
  Activation activation_;
  std::array<uint8_t, 256> table_ = {};
};

// Creates RELU or a similar function, which clamps values to a range. The ends
// of the range may be infinite.
Make Relu(Range<float> range) {
  return [=](OperatorContext& context) {
    if (context.input(0).type == ElementType::kFloat32) {
      return RealActivation([=](float x) { return range.Clamp(x); });
    }
    const Quantization& in = context.input(0).quantization;
    const Quantization& out = context.output(0).quantization;
    QuantizedOutput output = QuantizedOutputOf(context.output(0));
    const Range<double> all = {static_cast<double>(output.range.min),
                               static_cast<double>(output.range.max)};
    const auto nearest = [&](float real) {
      const float steps = std::round(real / out.scale());
      return static_cast<int32_t>(all.Clamp(double{steps} + out.zero_point()));
    };
    output.range = {nearest(range.min), nearest(range.max)};
    const Multiplier factor = QuantizeMultiplier(in.scale() / out.scale());
    return Activation{nullptr,
                      [=, input_zero = in.zero_point()](int32_t value) {
                        return output.At(Multiply(value - input_zero, factor));
                      }};
  };
}

absl::StatusOr<Activation> LeakyRelu(OperatorContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const float alpha, LeakyReluAlphaOf(context.spec()));
  if (context.input(0).type == ElementType::kFloat32) {
    return RealActivation([=](float x) { return x > 0 ? x : x * alpha; });
  }
  const Quantization& in = context.input(0).quantization;
  const float out_scale = context.output(0).quantization.scale();
  const QuantizedOutput output = QuantizedOutputOf(context.output(0));
  const Multiplier above = QuantizeMultiplier(in.scale() / out_scale);
  const Multiplier below = QuantizeMultiplier(in.scale() * alpha / out_scale);
  return Activation{nullptr, [=, input_zero = in.zero_point()](int32_t value) {
                      const int32_t x = value - input_zero;
                      return output.At(Multiply(x, x >= 0 ? above : below));
                    }};
}

// A real factor as a 16-bit mantissa and an exponent.
struct Multiplier16 {
  explicit Multiplier16(double real) {
    const Multiplier factor = QuantizeMultiplier(real);
    mantissa = Saturate<int16_t>((int64_t{factor.mantissa} + (1 << 15)) >> 16);
    exponent = factor.exponent;
  }

  int16_t TimesMantissa(int16_t x) const {
    return gemmlowp::SaturatingRoundingDoublingHighMul(x, mantissa);
  }

  int16_t mantissa;
  int exponent;
};

// Returns x * factor, which is x / 3 in units of 2^-15, clamped to [-1, 1]. If
// the exponent of `factor` is positive, x is shifted left by the exponent minus
// 1 first, and the product is doubled at the end. The result is the same as
// with a first shift by the whole exponent, because a value that saturates in
// such a shift also saturates at the end.
int16_t Thirds(int16_t x, const Multiplier16& factor) {
  const int exponent = factor.exponent;
  if (exponent <= 0) {
    const int32_t product = factor.TimesMantissa(x);
    return Saturate<int16_t>(RoundingShiftRight(product, -exponent));
  }
  const auto shifted =
      Saturate<int16_t>(int64_t{x} * (int64_t{1} << (exponent - 1)));
  return Saturate<int16_t>(int64_t{2} * factor.TimesMantissa(shifted));
}

// Creates the function x * w(x), where w rises from 0 at x = -3 to 1 at x = 3
// and is constant outside this range. Quantized values are computed in 16 bits.
// Source: A. Howard et al., "Searching for MobileNetV3" (2019), section 5.2;
// the arithmetic is that of TensorFlow Lite's reference kernel.
absl::StatusOr<Activation> HardSwish(OperatorContext& context) {
  if (context.input(0).type == ElementType::kFloat32) {
    return RealActivation([](float x) {
      const float above = x + 3 > 0 ? x + 3 : 0;
      return x * (above < 6 ? above : 6) / 6;
    });
  }
  const Quantization& in = context.input(0).quantization;
  const Quantization& out = context.output(0).quantization;
  const QuantizedOutput output = QuantizedOutputOf(context.output(0));
  const float fine_scale = 1.0F / 128.0F * in.scale();
  const Multiplier16 to_output(fine_scale / out.scale());
  const Multiplier16 to_thirds(fine_scale / (3.0F / 32768.0F));
  if (to_output.exponent > 0) {
    return RefuseModel(
        "its input has scale ", in.scale(), ", its output ", out.scale(),
        "; expected at most 128 times the output's for the input");
  }
  return Activation{
      nullptr, [=, input_zero = in.zero_point()](int32_t value) {
        const auto x = static_cast<int16_t>((value - input_zero) * 128);
        const int32_t factor = (Thirds(x, to_thirds) + (1 << 15)) >> 1;
        // The high half of the doubled product, rounded toward 0.
        const int32_t y = Saturate<int16_t>(
            int64_t{factor} * to_output.TimesMantissa(x) / (1 << 15));
        return output.At(RoundingShiftRight(y, -to_output.exponent));
      }};
}

// Creates LOGISTIC and TANH, which use the same arithmetic with different
// parameters.
struct Sigmoid {
  static constexpr int kIntegerBits = 4;
  using Input = gemmlowp::FixedPoint<int32_t, kIntegerBits>;
  using Output = gemmlowp::FixedPoint<int32_t, 0>;

  float (*real)(float);
  Output (*fixed)(Input);
  // The number of fractional bits and the zero point that an INT8 output must
  // have.
  int output_bits;
  int32_t output_zero_point;
  Sigmoid16::Function fixed16;

  absl::StatusOr<Activation> operator()(OperatorContext& context) const {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        return RealActivation(real);
      case ElementType::kUint8:
        return OfUint8(context);
      case ElementType::kInt16:
        return OfInt16(context);
      default:
        return OfInt8(context);
    }
  }

 private:
  // Returns the activation for UINT8. As in TensorFlow Lite, the real function
  // is computed and its result is rounded once.
  Activation OfUint8(OperatorContext& context) const {
    const QuantizedOutput output = QuantizedOutputOf(context.output(0));
    const float scale = context.input(0).quantization.scale();
    const int32_t input_zero = context.input(0).quantization.zero_point();
    const float inverse_scale = 1.0F / context.output(0).quantization.scale();
    return {nullptr, [=, f = real](int32_t value) {
              const float x = scale * static_cast<float>(value - input_zero);
              const float steps = std::round(f(x) * inverse_scale);
              // The inverse of a very small scale is infinity, and 0 times
              // infinity is NaN. The result is then 0.
              if (std::isnan(steps)) return output.At(0);
              constexpr float kFar = 1e9F;
              return output.At(
                  static_cast<int64_t>(std::clamp(steps, -kFar, kFar)));
            }};
  }

  absl::StatusOr<Activation> OfInt16(OperatorContext& context) const {
    const Quantization& in = context.input(0).quantization;
    if (in.zero_point() != 0) {
      return RefuseModel(InputPlace(context, 0), ": its zero point is ",
                         in.zero_point(), "; expected 0");
    }
    STOWAGE_RETURN_IF_ERROR(CheckOutputScale(context, 1.0F / 32768, 0));
    return Activation{
        nullptr,
        [sigmoid = Sigmoid16(fixed16, in.scale())](int32_t x) -> int32_t {
          return sigmoid(static_cast<int16_t>(x));
        }};
  }

  absl::StatusOr<Activation> OfInt8(OperatorContext& context) const {
    STOWAGE_RETURN_IF_ERROR(CheckOutputScale(
        context, std::ldexp(1.0F, -output_bits), output_zero_point));
    const Quantization& in = context.input(0).quantization;
    const double real_factor = std::ldexp(in.scale(), 31 - kIntegerBits);
    int exponent = 0;
    std::frexp(real_factor, &exponent);
    const int32_t radius = InputRadius(kIntegerBits, exponent);
    const Multiplier factor = QuantizeMultiplier(real_factor);
    return Activation{
        nullptr, [=, f = *this, input_zero = in.zero_point()](int32_t value) {
          const int32_t x = value - input_zero;
          if (x <= -radius) return -128;
          if (x >= radius) return 127;
          const Output y = f.fixed(Input::FromRaw(Multiply(x, factor)));
          const int32_t steps = RoundingShiftRight(y.raw(), 31 - f.output_bits);
          return std::clamp(steps + f.output_zero_point, -128, 127);
        }};
  }
};

// Computes PRELU: x if x is positive, and alpha * x otherwise. The slopes alpha
// are broadcast to x.
class Prelu : public BinaryKernel {
 public:
  absl::Status Invoke(OperatorContext& context) override {
    return DispatchType(Types(), context.input(0).type, [&](auto zero) {
      using T = decltype(zero);
      BinaryKernel::Compute<T, T>(
          context, [&](T x, T slope) { return Compute(x, slope); });
    });
  }

 private:
  using Types = TypeList<float, int8_t, uint8_t>;

  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    SetOutputType(context, 0, context.input(0).type);
    STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 2, Types()));
    const Tensor& input = context.input(0);
    const Tensor& alpha = context.input(1);
    STOWAGE_ASSIGN_OR_RETURN(const Shape shape,
                             BroadcastShape(input.shape, alpha.shape));
    if (shape != input.shape) {
      return RefuseModel(
          InputPlace(context, 1), ": its shape is ", ShapeText(alpha.shape),
          "; expected one that broadcasts to ", ShapeText(input.shape));
    }
    if (input.type == ElementType::kFloat32) return absl::OkStatus();
    STOWAGE_RETURN_IF_ERROR(CheckAllQuantized(context));
    output_ = QuantizedOutputOf(context.output(0));
    const float in = input.quantization.scale();
    const float out = context.output(0).quantization.scale();
    input_zero_ = input.quantization.zero_point();
    alpha_zero_ = alpha.quantization.zero_point();
    above_ = QuantizeMultiplier(in / out);
    below_ = QuantizeMultiplier(in * alpha.quantization.scale() / out);
    return absl::OkStatus();
  }

  static float Compute(float x, float slope) { return x >= 0 ? x : x * slope; }
  template <typename T>
  T Compute(T value, T slope) const {
    const int32_t x = value - input_zero_;
    return static_cast<T>(
        output_.At(x >= 0 ? Multiply(x, above_)
                          : Multiply(x * (slope - alpha_zero_), below_)));
  }

  int32_t input_zero_ = 0;
  int32_t alpha_zero_ = 0;
  Multiplier above_;
  Multiplier below_;
  QuantizedOutput output_;
};

template <typename Types = FloatAndQuantizedTypes>
OperatorRegistration Row(const char* name, const char* what, int32_t version,
                         Make make) {
  return Operator<ActivationKernel<Types>>(name, what, std::move(make))
      .OfVersions(1, version)
      .SharesMemoryOf(InPlace::kInput0);
}

float Tanh(float x) { return std::tanh(x); }

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Sigmoid logistic = {RealLogistic, gemmlowp::logistic, 8, -128,
                            Sigmoid16::kLogistic};
  const Sigmoid tanh = {Tanh, gemmlowp::tanh, 7, 0, Sigmoid16::kTanh};
  return {
      Row<TypeList<float, int8_t, uint8_t>>(
          "HARD_SWISH", "x * relu6(x + 3) / 6", 1, HardSwish),
      Row("LEAKY_RELU", "x above 0, alpha x below", 2, LeakyRelu),
      Row("LOGISTIC", "1 / (1 + exp(-x))", 3, logistic),
      Operator<Prelu>("PRELU",
                      "x above 0, alpha x below, with alpha broadcast to x")
          .SharesMemoryOf(InPlace::kInput0),
      Row("RELU", "max(x, 0)", 3, Relu({0, kInfinity})),
      Row("RELU_0_TO_1", "x clamped to [0, 1]", 2, Relu({0, 1})),
      Row("RELU_N1_TO_1", "x clamped to [-1, 1]", 2, Relu({-1, 1})),
      Row("RELU6", "x clamped to [0, 6]", 3, Relu({0, 6})),
      Row("TANH", "the hyperbolic tangent", 3, tanh),
  };
}

}  // namespace stowage::harness::activations
