// SPDX-License-Identifier: Apache-2.0
// Registers the elementwise functions of two tensors of the same type, with
// broadcasting, one in each row of a table. Integers wrap around. Division of
// integers or quantized numbers by 0 is an error.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include "absl/algorithm/container.h"
#include "absl/numeric/bits.h"
#include "gemmlowp/fixedpoint/fixedpoint.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::arithmetic {
namespace {

using Numbers = TypeList<float, int32_t, int64_t, int8_t, uint8_t, int16_t>;

// Returns the range to which an activation clamps numbers that are not
// quantized.
template <typename T>
Range<T> PlainRange(const Range<float>& real) {
  if constexpr (std::is_floating_point_v<T>) {
    return real;
  } else {
    return {real.min == kNoMin ? std::numeric_limits<T>::min()
                               : static_cast<T>(real.min),
            real.max == kNoMax ? std::numeric_limits<T>::max()
                               : static_cast<T>(real.max)};
  }
}

absl::Status CheckQuantizedPair(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckAllQuantized(context));
  for (const Tensor* tensor :
       {&context.input(0), &context.input(1),
        static_cast<const Tensor*>(&context.output(0))}) {
    const int32_t zero_point = tensor->quantization.zero_point();
    if (tensor->type != ElementType::kInt16 || zero_point == 0) continue;
    return RefuseModel("the zero point of an INT16 tensor is ", zero_point,
                       "; expected 0");
  }
  return absl::OkStatus();
}

// Given two tensors and an output, each function below returns a function of
// two quantized numbers, one from each tensor, that computes the quantized
// result. The returned function is valid only for these tensors. Source: B.
// Jacob et al. (2018), section 2.2 and appendix A.2.

double ScaleOf(const Tensor& tensor) {
  return double{tensor.quantization.scale()};
}

int32_t ZeroOf(const Tensor& tensor) {
  return tensor.quantization.zero_point();
}

// Converts both inputs to a common scale, which is twice the larger of their
// scales. The converted numbers have `spare_bits` fractional bits.
struct CommonScale {
  CommonScale(const Tensor& a, const Tensor& b, int spare_bits)
      : scale(2 * std::max(ScaleOf(a), ScaleOf(b))),
        unit(1 << spare_bits),
        zeros{ZeroOf(a), ZeroOf(b)},
        factors{QuantizeMultiplier(ScaleOf(a) / scale),
                QuantizeMultiplier(ScaleOf(b) / scale)} {}

  int32_t First(int32_t x) const {
    return Multiply((x - zeros[0]) * unit, factors[0]);
  }
  int32_t Second(int32_t x) const {
    return Multiply((x - zeros[1]) * unit, factors[1]);
  }

  double scale;
  int32_t unit;
  int32_t zeros[2];
  Multiplier factors[2];
};

// Returns the function that computes sums or differences. The spare bits are
// chosen so that the sum of two inputs fits in 32 bits: after the zero point is
// subtracted, an 8-bit value has 9 bits, and a 16-bit value has 16 bits because
// its zero point is 0.
template <bool kIsDifference>
auto QuantizedSum(const Tensor& a, const Tensor& b, const Tensor& output,
                  QuantizedOutput target) {
  const CommonScale inputs(a, b, output.type == ElementType::kInt16 ? 15 : 20);
  const Multiplier factor =
      QuantizeMultiplier(inputs.scale / (inputs.unit * ScaleOf(output)));
  return [=](int32_t x, int32_t y) {
    const int32_t second = inputs.Second(y);
    const int32_t sum = inputs.First(x) + (kIsDifference ? -second : second);
    return target.At(Multiply(sum, factor));
  };
}

auto QuantizedProduct(const Tensor& a, const Tensor& b, const Tensor& output,
                      QuantizedOutput target) {
  const Multiplier factor =
      QuantizeMultiplier(ScaleOf(a) * ScaleOf(b) / ScaleOf(output));
  return [=, zero_a = ZeroOf(a), zero_b = ZeroOf(b)](int32_t x, int32_t y) {
    return target.At(Multiply((x - zero_a) * (y - zero_b), factor));
  };
}

// Returns the function that computes the quotient of two quantized numbers. The
// argument `y` of the returned function must not be the zero point of `b`.
auto QuantizedQuotient(const Tensor& a, const Tensor& b, const Tensor& output,
                       QuantizedOutput target) {
  const Multiplier factor =
      QuantizeMultiplier(ScaleOf(a) / (ScaleOf(b) * ScaleOf(output)));
  return [=, zero_a = ZeroOf(a), zero_b = ZeroOf(b)](int32_t x, int32_t y) {
    const int32_t sign = y < zero_b ? -1 : 1;
    const int32_t dividend = sign * (x - zero_a);
    const Reciprocal inverse =
        FixedPointReciprocal(static_cast<uint32_t>(sign * (y - zero_b)), 31);
    // The number of bits by which the dividend can be shifted left without
    // reaching the sign bit.
    const int headroom = absl::countl_zero(static_cast<uint32_t>(
                             dividend < 0 ? ~dividend : dividend)) -
                         1;
    const int32_t quotient = gemmlowp::SaturatingRoundingDoublingHighMul(
        ShiftLeft(dividend, headroom), inverse.mantissa);
    const Multiplier rest = {factor.mantissa,
                             factor.exponent - inverse.exponent - headroom};
    // A right shift by more than 31 bits leaves 0.
    return target.At(rest.exponent < -31 ? 0 : Multiply(quotient, rest));
  };
}

auto QuantizedSquaredDifference(const Tensor& a, const Tensor& b,
                                const Tensor& output, QuantizedOutput target) {
  const CommonScale inputs(a, b, output.type == ElementType::kInt16 ? 0 : 7);
  const Multiplier factor =
      QuantizeMultiplier(inputs.scale * inputs.scale /
                         (inputs.unit * inputs.unit * ScaleOf(output)));
  return [=](int32_t x, int32_t y) {
    const int32_t difference = inputs.First(x) - inputs.Second(y);
    return target.At(Multiply(difference * difference, factor));
  };
}

// The values of the template parameter `kHasActivation`.
constexpr bool kWithActivation = true;
constexpr bool kWithoutActivation = false;
// The template argument `Quantize` of operators that compute with quantized
// numbers without rescaling them. Such an operator requires the same scale for
// both inputs and the output.
struct AsTheyAre {};

// Computes an operator with two inputs. of(a, b) must return the result for a
// pair of elements. quantize(a, b, output, target) must return a function that
// computes the result for a pair of quantized elements of the tensors `a` and
// `b`. If `kDivides` is true, the operator divides by elements of `b`, and a
// divisor of 0 is an error.
template <typename Types, bool kHasActivation, bool kDivides, typename Of,
          typename Quantize>
class Arithmetic : public BinaryKernel {
 public:
  Arithmetic(Of of, Quantize quantize) : of_(of), quantize_(quantize) {}

  absl::Status Invoke(OperatorContext& context) override {
    return DispatchType(
        Types(), context.input(0).type, [&](auto zero) -> absl::Status {
          using T = decltype(zero);
          constexpr bool kIsQuantized =
              kRescales && QuantizedTypes::Has(kElementTypeOf<T>);
          if constexpr (kDivides && !std::is_floating_point_v<T>) {
            STOWAGE_RETURN_IF_ERROR(CheckDivisor<T>(context, kIsQuantized));
          }
          if constexpr (kIsQuantized) {
            ComputeQuantized<T>(context);
          } else {
            ComputePlain<T>(context);
          }
          return absl::OkStatus();
        });
  }

 private:
  static constexpr bool kRescales = !std::is_same_v<Quantize, AsTheyAre>;

  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    SetOutputType(context, 0, context.input(0).type);
    STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 2, Types()));
    auto activation = FusedActivation::kNone;
    if constexpr (kHasActivation) {
      STOWAGE_ASSIGN_OR_RETURN(activation,
                               ArithmeticActivationOf(context.spec()));
    }
    STOWAGE_ASSIGN_OR_RETURN(range_, FloatRange(activation));
    if (!kRescales || !QuantizedTypes::Has(context.input(0).type)) {
      return absl::OkStatus();
    }
    STOWAGE_RETURN_IF_ERROR(CheckQuantizedPair(context));
    STOWAGE_ASSIGN_OR_RETURN(quantized_output_,
                             QuantizedOutputOf(context.output(0), activation));
    return absl::OkStatus();
  }

  template <typename T>
  void ComputePlain(OperatorContext& context) const {
    const Of of = of_;
    if constexpr (kHasActivation) {
      const Range<T> range = PlainRange<T>(range_);
      Compute<T, T>(context, [=](T a, T b) { return range.Clamp(of(a, b)); });
    } else {
      Compute<T, T>(context, of);
    }
  }

  template <typename T>
  void ComputeQuantized(OperatorContext& context) const {
    const auto f = quantize_(context.input(0), context.input(1),
                             context.output(0), quantized_output_);
    Compute<T, T>(context, [f](T a, T b) { return static_cast<T>(f(a, b)); });
  }

  template <typename T>
  static absl::Status CheckDivisor(const OperatorContext& context,
                                   bool is_quantized) {
    const Tensor& divisors = context.input(1);
    const auto zero =
        static_cast<T>(is_quantized ? divisors.quantization.zero_point() : 0);
    if (!absl::c_linear_search(divisors.span<T>(), zero)) {
      return absl::OkStatus();
    }
    return RefuseModel(InputPlace(context, 1),
                       ": it has an element 0; expected nonzero divisors");
  }

  Of of_;
  Quantize quantize_;
  Range<float> range_ = {};  // is used for numbers that are not quantized
  QuantizedOutput quantized_output_;
};

template <bool kHasActivation, bool kDivides = false, typename Types,
          typename Of, typename Quantize = AsTheyAre>
OperatorRegistration Row(const char* name, const char* what, Types /*types*/,
                         Of of, Quantize quantize = {}) {
  const std::string summary =
      absl::StrCat(what, ", elementwise, with broadcasting",
                   kHasActivation ? " and a fused activation" : "");
  return Operator<Arithmetic<Types, kHasActivation, kDivides, Of, Quantize>>(
             name, summary, of, quantize)
      .SharesMemoryOf(InPlace::kInput0 | InPlace::kInput1);
}

struct Quotient {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::numeric_limits<T>::is_integer) {
      // The only quotient that can overflow is that of the smallest number and
      // -1. Division by -1 is therefore computed as 0 - a, which wraps around.
      if (b == -1) {
        return Wrapping(T{0}, a, [](auto x, auto y) { return x - y; });
      }
    }
    return static_cast<T>(a / b);
  }
};

struct FloorQuotient {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::floor(a / b);
    } else {
      const T quotient = Quotient()(a, b);
      const bool is_cut = b != -1 && a % b != 0 && (a < 0) != (b < 0);
      return static_cast<T>(quotient - (is_cut ? 1 : 0));
    }
  }
};

// Returns the remainder of a division that rounds down, which has the sign of
// `b`.
struct FloorRest {
  template <typename T>
  T operator()(T a, T b) const {
    T rest = 0;
    if constexpr (std::is_floating_point_v<T>) {
      rest = std::fmod(a, b);
    } else if (b != -1) {
      rest = static_cast<T>(a % b);
    }
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  }
};

// Returns the more extreme of two numbers. IsBefore(a, b) must return whether
// `a` is more extreme than `b`.
template <typename IsBefore>
struct Extremum {
  template <typename T>
  T operator()(T a, T b) const {
    return IsBefore()(a, b) ? a : b;
  }
};

std::vector<OperatorRegistration> RowsWithActivation() {
  const auto sum = [](auto a, auto b) {
    return Wrapping(a, b, [](auto x, auto y) { return x + y; });
  };
  const auto difference = [](auto a, auto b) {
    return Wrapping(a, b, [](auto x, auto y) { return x - y; });
  };
  const auto product = [](auto a, auto b) {
    return Wrapping(a, b, [](auto x, auto y) { return x * y; });
  };
  return {
      Row<kWithActivation>("ADD", "a + b", Numbers(), sum, QuantizedSum<false>)
          .OfVersions(1, 5),
      Row<kWithActivation>("SUB", "a - b", Numbers(), difference,
                           QuantizedSum<true>)
          .OfVersions(1, 5),
      Row<kWithActivation>("MUL", "a * b", Numbers(), product, QuantizedProduct)
          .OfVersions(1, 7),
      Row<kWithActivation, true>("DIV", "a / b", Numbers(), Quotient(),
                                 QuantizedQuotient)
          .OfVersions(1, 2),
  };
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  using Plain = TypeList<float, int32_t, int64_t, int8_t, int16_t>;
  using Squares = TypeList<float, int32_t, int8_t, int16_t>;
  const auto squared_difference = [](auto a, auto b) {
    return Wrapping(a, b, [](auto x, auto y) { return (x - y) * (x - y); });
  };
  std::vector<OperatorRegistration> rows = RowsWithActivation();
  rows.insert(
      rows.end(),
      {Row<kWithoutActivation, true>("FLOOR_DIV", "the floor of a / b", Plain(),
                                     FloorQuotient())
           .OfVersions(1, 3),
       Row<kWithoutActivation, true>("FLOOR_MOD", "a - b * floor(a / b)",
                                     Plain(), FloorRest())
           .OfVersions(1, 2),
       Row<kWithoutActivation>("MAXIMUM", "the larger of a and b", Numbers(),
                               Extremum<std::greater<>>())
           .OfVersions(1, 4),
       Row<kWithoutActivation>("MINIMUM", "the smaller of a and b", Numbers(),
                               Extremum<std::less<>>())
           .OfVersions(1, 4),
       Row<kWithoutActivation>("SQUARED_DIFFERENCE", "(a - b)^2", Squares(),
                               squared_difference, QuantizedSquaredDifference)
           .OfVersions(1, 2)});
  return rows;
}

}  // namespace stowage::harness::arithmetic
