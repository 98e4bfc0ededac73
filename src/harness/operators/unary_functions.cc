// SPDX-License-Identifier: Apache-2.0
// Registers the elementwise functions of one tensor. Each row of a table
// contains one function and the types that it supports. Functions with options
// or quantized arithmetic are in activations.cc and real_functions.cc.
#include <cmath>

#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::unary_functions {
namespace {

using Reals = TypeList<float>;

// Sets output[i] = f(input[i]). Both tensors have elements of type T.
template <typename T, typename F>
void ComputeUnary(OperatorContext& context, F f) {
  const auto input = context.input(0).span<T>();
  ForEachElement(input.data(), context.output(0).as<T>(),
                 static_cast<int64_t>(input.size()), f);
}

// The function computes an output of the same type as its input. If the model
// declares a different type for the output, either the model is refused
// (kIsRefused), or the output gets the type of the input (kIsReplaced).
enum class OtherType { kIsRefused, kIsReplaced };

template <typename Types, typename F>
class Function : public Kernel {
 public:
  Function(F f, OtherType other_type) : f_(f), other_type_(other_type) {}

  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    if (other_type_ == OtherType::kIsReplaced) {
      SetOutputType(context, 0, context.input(0).type);
    }
    STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 1, Types()));
    return context.ResizeOutput(0, context.input(0).shape);
  }
  absl::Status Invoke(OperatorContext& context) override {
    return DispatchType(Types(), context.input(0).type, [&](auto zero) {
      ComputeUnary<decltype(zero)>(context, f_);
    });
  }

 private:
  F f_;
  OtherType other_type_;
};

template <typename Types, typename F>
OperatorRegistration Row(const char* name, const char* what, Types /*types*/,
                         F f, OtherType other_type = OtherType::kIsRefused) {
  return Operator<Function<Types, F>>(name, what, f, other_type)
      .SharesMemoryOf(InPlace::kInput0);
}

float RoundHalfToEven(float x) {
  const float below = std::floor(x);
  const float fraction = x - below;
  const bool is_odd = std::fmod(below, 2.0F) != 0;
  const bool is_up = fraction > 0.5F || (fraction == 0.5F && is_odd);
  return is_up ? below + 1.0F : below;
}

// Returns the negated number. Floating-point numbers are not computed as 0 - x,
// because 0 - x is never -0.
template <typename T>
T Negative(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return -x;
  } else {
    return Wrapping(T{0}, x, [](auto a, auto b) { return a - b; });
  }
}

// Returns -1, 0 or 1. The sign of NaN is 0.
template <typename T>
T SignOf(T x) {
  return static_cast<T>((x > 0 ? 1 : 0) - (x < 0 ? 1 : 0));
}

int32_t MagnitudeOf(int32_t x) { return x >= 0 ? x : Negative(x); }

// Computes ABS. The smallest integer is returned unchanged, because its
// absolute value does not fit. Quantized numbers are rescaled if the input and
// the output have different scales.
class Abs : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 1, Types()));
    if (QuantizedTypes::Has(context.input(0).type)) {
      STOWAGE_RETURN_IF_ERROR(CheckAllQuantized(context));
    }
    return context.ResizeOutput(0, context.input(0).shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    return DispatchType(Types(), context.input(0).type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (QuantizedTypes::Has(kElementTypeOf<T>)) {
        Quantized<T>(context);
      } else if constexpr (std::is_floating_point_v<T>) {
        ComputeUnary<T>(context, [](T x) { return std::fabs(x); });
      } else {
        ComputeUnary<T>(context, MagnitudeOf);
      }
    });
  }

 private:
  using Types = TypeList<float, int32_t, int8_t, int16_t>;

  template <typename T>
  static void Quantized(OperatorContext& context) {
    const Tensor& input = context.input(0);
    const Tensor& output = context.output(0);
    const QuantizedOutput target = QuantizedOutputOf(output);
    const int32_t zero_point = input.quantization.zero_point();
    const bool is_rescaled =
        input.quantization.scale() != output.quantization.scale();
    const Multiplier factor = RescalingFactor(input, output);
    ComputeUnary<T>(context, [=](T x) {
      const int32_t magnitude = MagnitudeOf(x - zero_point);
      return static_cast<T>(
          target.At(is_rescaled ? Multiply(magnitude, factor) : magnitude));
    });
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Operator<Abs>("ABS", "x without its sign, elementwise")
          .OfVersions(1, 5)
          .SharesMemoryOf(InPlace::kInput0),
      Row(
          "CEIL", "the smallest integer that is not below x, elementwise",
          Reals(), [](float x) { return std::ceil(x); },
          OtherType::kIsReplaced),
      Row("COS", "the cosine of an angle in radians, elementwise", Reals(),
          [](float x) { return std::cos(x); }),
      Row(
          "FLOOR", "the largest integer that is not above x, elementwise",
          Reals(), [](float x) { return std::floor(x); },
          OtherType::kIsReplaced),
      Row("LOGICAL_NOT", "not x, elementwise", TypeList<Bool>(),
          [](Bool x) { return Bool(!x); }),
      Row(
          "NEG", "-x, elementwise; integers wrap around",
          TypeList<float, int32_t, int64_t>(),
          [](auto x) { return Negative(x); }, OtherType::kIsReplaced)
          .OfVersions(1, 2),
      Row("ROUND", "the nearest integer, ties to even, elementwise", Reals(),
          RoundHalfToEven, OtherType::kIsReplaced),
      Row("SIGN", "-1, 0 or 1 for x below, at or above 0, elementwise",
          TypeList<float, double, int32_t, int64_t>(),
          [](auto x) { return SignOf(x); })
          .OfVersions(1, 2),
      Row("SIN", "the sine of an angle in radians, elementwise", Reals(),
          [](float x) { return std::sin(x); }),
      Row("SQRT", "the square root, elementwise", Reals(),
          [](float x) { return std::sqrt(x); }),
      Row("SQUARE", "x * x, elementwise", Reals(),
          [](float x) { return x * x; }),
  };
}

}  // namespace stowage::harness::unary_functions
