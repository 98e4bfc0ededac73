// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor, elementwise: a row for each, with the types that it
// is computed for. Activations with options or a table of 8-bit values are
// files of their own, over kernels/unary.h.
#include <cmath>

#include "src/harness/kernels/dispatch_type.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/wrapping.h"

namespace stowage::harness::unary_functions {
namespace {

using Reals = TypeList<float>;
using AbsTypes = TypeList<float, int32_t, int8_t, int16_t>;

template <typename Types>
absl::Status PrepareUnary(OperatorContext& context, Types types) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
  STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, types));
  const Tensor& input = context.input(0);
  STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {input.type}));
  return context.ResizeOutput(0, input.shape);
}

// output[i] = f(input[i]) where both have elements of type T.
template <typename T, typename F>
void ComputeUnary(OperatorContext& context, F f) {
  const auto input = context.input(0).span<T>();
  ForEachElement(input.data(), context.output(0).as<T>(),
                 static_cast<int64_t>(input.size()), f);
}

template <typename Types, typename F>
class Function : public Kernel {
 public:
  explicit Function(F f) : f_(f) {}

  absl::Status Prepare(OperatorContext& context) override {
    return PrepareUnary(context, Types());
  }
  absl::Status Invoke(OperatorContext& context) override {
    return DispatchType(Types(), context.input(0).type, [&](auto zero) {
      ComputeUnary<decltype(zero)>(context, f_);
    });
  }

 private:
  F f_;
};

template <typename Types, typename F>
OperatorRegistration Row(const char* name, const char* what, Types /*types*/,
                         F f) {
  return OperatorRegistration(name)
      .Computes(what)
      .SharesMemoryOf(InPlace::kInput0)
      .Creates<Function<Types, F>>(f);
}

float RoundHalfToEven(float x) {
  const float below = std::floor(x);
  const float fraction = x - below;
  const bool is_odd = std::fmod(below, 2.0F) != 0;
  const bool is_up = fraction > 0.5F || (fraction == 0.5F && is_odd);
  return is_up ? below + 1.0F : below;
}

// Of floating point not 0 - x, which has no -0.
template <typename T>
T Negative(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return -x;
  } else {
    return Wrapping(T{0}, x, [](auto a, auto b) { return a - b; });
  }
}

int32_t MagnitudeOf(int32_t x) { return x >= 0 ? x : Negative(x); }

// ABS of integers: the smallest stays as it is. Quantised numbers are rescaled
// where the output has another scale.
class Abs : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(PrepareUnary(context, AbsTypes()));
    if (!QuantizedTypes::Has(context.input(0).type)) return absl::OkStatus();
    STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
    return CheckOutputQuantized(context, 0);
  }

  absl::Status Invoke(OperatorContext& context) override {
    return DispatchType(AbsTypes(), context.input(0).type, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (QuantizedTypes::Has(kElementTypeOf<T>)) {
        return Quantized<T>(context);
      } else if constexpr (std::is_floating_point_v<T>) {
        ComputeUnary<T>(context, [](T x) { return std::fabs(x); });
      } else {
        ComputeUnary<T>(context, MagnitudeOf);
      }
      return absl::OkStatus();
    });
  }

 private:
  template <typename T>
  static absl::Status Quantized(OperatorContext& context) {
    const Tensor& output = context.output(0);
    STOWAGE_ASSIGN_OR_RETURN(const QuantizedOutput target,
                             QuantizedOutputOf(output));
    const Quantization& from = context.input(0).quantization;
    const int32_t zero_point = from.zero_point();
    const bool is_rescaled = from.scale() != output.quantization.scale();
    const Multiplier factor = QuantizeMultiplier(
        double{from.scale()} / double{output.quantization.scale()});
    ComputeUnary<T>(context, [=](T x) {
      const int32_t magnitude = MagnitudeOf(x - zero_point);
      return static_cast<T>(
          target.At(is_rescaled ? Multiply(magnitude, factor) : magnitude));
    });
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Operator<Abs>("ABS", "x without its sign, elementwise")
          .OfVersions(1, 5)
          .SharesMemoryOf(InPlace::kInput0),
      Row("CEIL", "the smallest integer that is not below x, elementwise",
          Reals(), [](float x) { return std::ceil(x); }),
      Row("COS", "the cosine of an angle in radians, elementwise", Reals(),
          [](float x) { return std::cos(x); }),
      Row("EXP", "e to the power of x, elementwise", Reals(),
          [](float x) { return std::exp(x); })
          .OfVersions(1, 2),
      Row("FLOOR", "the largest integer that is not above x, elementwise",
          Reals(), [](float x) { return std::floor(x); }),
      Row("LOG", "the natural logarithm, elementwise", Reals(),
          [](float x) { return std::log(x); })
          .OfVersions(1, 2),
      Row("LOGICAL_NOT", "not x, elementwise", TypeList<Bool>(),
          [](Bool x) { return Bool(!x); }),
      Row("NEG", "-x, elementwise; integers wrap around",
          TypeList<float, int32_t, int64_t>(),
          [](auto x) { return Negative(x); })
          .OfVersions(1, 2),
      Row("ROUND", "the nearest integer, halves to the even one, elementwise",
          Reals(), RoundHalfToEven),
      Row("RSQRT", "1 / sqrt(x), elementwise", Reals(),
          [](float x) { return 1.0F / std::sqrt(x); })
          .OfVersions(1, 3),
      Row("SIN", "the sine of an angle in radians, elementwise", Reals(),
          [](float x) { return std::sin(x); }),
      Row("SQRT", "the square root, elementwise", Reals(),
          [](float x) { return std::sqrt(x); }),
      Row("SQUARE", "x * x, elementwise", Reals(),
          [](float x) { return x * x; }),
  };
}

}  // namespace stowage::harness::unary_functions
