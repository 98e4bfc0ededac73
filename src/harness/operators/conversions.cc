// SPDX-License-Identifier: Apache-2.0
// Registers the elementwise conversions of numbers to a different type: CAST
// converts between types that are not quantized, QUANTIZE converts to quantized
// numbers, and DEQUANTIZE converts from quantized numbers.
#include <cmath>
#include <limits>
#include <type_traits>

#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/dispatch_type.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::conversions {
namespace {

// Converts a number. If the result is an integer, fractions are truncated,
// floating-point numbers outside the range become the nearest end of the range,
// and NaN becomes 0; an integer that is too wide loses its high bits. If the
// result is BOOL, every number except 0 becomes true.
template <typename To, typename From>
To Convert(From x) {
  if constexpr (std::is_same_v<From, Bool>) {
    return static_cast<To>(static_cast<bool>(x));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool(x != From{0});
  } else if constexpr (std::is_floating_point_v<From> &&
                       std::is_integral_v<To>) {
    // The comparisons below are exact, because floating point represents both
    // bounds exactly: the low end of the range is 0 or a negative power of two,
    // and the high end plus 1 is a power of two.
    constexpr auto kLow = static_cast<From>(std::numeric_limits<To>::min());
    const From above = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    if (std::isnan(x)) return 0;
    if (x <= kLow) return std::numeric_limits<To>::min();
    if (x >= above) return std::numeric_limits<To>::max();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

using Castable = TypeList<float, double, int8_t, uint8_t, int16_t, uint16_t,
                          int32_t, uint32_t, int64_t, Bool>;

absl::Status PrepareCast(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
  STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Castable()));
  STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, Castable()));
  return context.ResizeOutput(0, context.input(0).shape);
}

absl::Status Cast(OperatorContext& context) {
  const Tensor& input = context.input(0);
  Tensor& output = context.output(0);
  const auto count =
      static_cast<int64_t>(input.bytes / ElementBytes(input.type));
  return DispatchType(Castable(), input.type, [&](auto from) {
    return DispatchType(Castable(), output.type, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      ForEachElement(input.as<From>(), output.as<To>(), count,
                     Convert<To, From>);
    });
  });
}

class QuantizeKernel : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Inputs()));
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, Outputs()));
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
    const Tensor& input = context.input(0);
    if (input.type != ElementType::kFloat32) {
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
      factor_ = RescalingFactor(input, context.output(0));
    }
    return context.ResizeOutput(0, input.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    return DispatchType(Outputs(), output.type, [&](auto out) {
      return DispatchType(Inputs(), input.type, [&](auto in) {
        Quantize(input, input.as<decltype(in)>(), output,
                 output.as<decltype(out)>());
      });
    });
  }

 private:
  using Outputs = TypeList<int8_t, uint8_t, int16_t, int32_t>;
  using Inputs = TypeList<float, int8_t, uint8_t, int16_t, int32_t>;

  template <typename Out>
  void Quantize(const Tensor& input, const float* from, const Tensor& output,
                Out* to) const {
    const QuantizedOutput result = QuantizedOutputOf(output);
    const float scale = output.quantization.scale();
    // A number far outside the range of every type, which also replaces NaN.
    constexpr float kFar = 1e12F;
    ForEachElement(from, to, input.elements(), [=](float x) {
      const float steps = std::round(x / scale);
      const float within =
          steps < kFar ? (steps > -kFar ? steps : -kFar) : kFar;
      return static_cast<Out>(result.At(static_cast<int64_t>(within)));
    });
  }

  template <typename In, typename Out>
  void Quantize(const Tensor& input, const In* from, const Tensor& output,
                Out* to) const {
    const QuantizedOutput result = QuantizedOutputOf(output);
    const int64_t input_zero = input.quantization.zero_point();
    ForEachElement(from, to, input.elements(), [=, factor = factor_](In x) {
      const auto steps = Saturate<int32_t>(x - input_zero);
      return static_cast<Out>(result.At(int64_t{Multiply(steps, factor)}));
    });
  }

  Multiplier factor_;
};

class Dequantize : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Types()));
    STOWAGE_RETURN_IF_ERROR(
        CheckOutputType(context, 0, {ElementType::kFloat32}));
    const Tensor& input = context.input(0);
    if (input.quantization.scales.size() > 1) {
      STOWAGE_RETURN_IF_ERROR(CheckPerChannel(context));
    } else if (input.type != ElementType::kFloat16) {
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
    }
    return context.ResizeOutput(0, input.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    auto* const output = context.output(0).as<float>();
    return DispatchType(Types(), input.type, [&](auto zero) {
      FromElements(input, input.as<decltype(zero)>(), output);
    });
  }

 private:
  using Types = TypeList<Half, int8_t, uint8_t, int16_t>;

  static absl::Status CheckPerChannel(const OperatorContext& context) {
    const Tensor& input = context.input(0);
    const Quantization& q = input.quantization;
    if (q.dimension < 0 || q.dimension >= input.rank() ||
        q.scales.size() != static_cast<size_t>(input.dim(q.dimension)) ||
        q.zero_points.size() != q.scales.size()) {
      return RefuseModel(InputPlace(context, 0), ": it has ", q.scales.size(),
                         " scales along dimension ", q.dimension,
                         " and the shape ", ShapeText(input.shape),
                         "; expected one for each element there");
    }
    return absl::OkStatus();
  }

  static void FromElements(const Tensor& tensor, const Half* input,
                           float* output) {
    ForEachElement(input, output, tensor.elements(),
                   [](Half x) { return FloatOfHalf(x); });
  }

  template <typename T>
  static void FromElements(const Tensor& tensor, const T* input,
                           float* output) {
    const Quantization& q = tensor.quantization;
    // A tensor with one scale is treated as a single slice.
    const bool is_per_channel = q.scales.size() > 1;
    const int64_t slice = FlatSize(
        tensor.shape, is_per_channel ? q.dimension + 1 : 0, tensor.rank());
    const int64_t count = tensor.elements();
    size_t channel = 0;
    for (int64_t at = 0; at < count; at += slice) {
      const float scale = q.scales[channel];
      const int64_t zero = q.zero_points[channel];
      ForEachElement(input + at, output + at, slice,
                     [=](T x) { return static_cast<float>(x - zero) * scale; });
      if (++channel == q.scales.size()) channel = 0;
    }
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<FunctionKernel>(
              "CAST", "the same numbers in another type, elementwise",
              PrepareCast, Cast)
              .OfVersions(1, 7),
          // DEQUANTIZE of a constant is folded, which means that its result is
          // computed only once.
          Operator<Dequantize>(
              "DEQUANTIZE", "quantized or FLOAT16 numbers converted to FLOAT32")
              .OfVersions(1, 6)
              .FoldsConstants(),
          Operator<QuantizeKernel>("QUANTIZE",
                                   "real numbers quantized, or quantized "
                                   "numbers converted to another scale or type")
              .OfVersions(1, 3)
              .SharesMemoryOf(InPlace::kInput0)};
}

}  // namespace stowage::harness::conversions
