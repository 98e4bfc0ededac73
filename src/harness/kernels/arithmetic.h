// ADD, SUB, MUL and DIV: elementwise, with a fused activation. Each says what
// it is in a struct:
//
//   struct Sum {
//     using Options = tflite::AddOptions;
//     using Quantized = QuantizedSum;
//     static constexpr bool kDivides = false;  // by input 1: it has no zero
//     template <typename T> static T Of(T a, T b);
//     static Quantized Quantize(a, b, output, range);
//   };
//
// Integers wrap around.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_ARITHMETIC_H_
#define STOWAGE_SRC_HARNESS_KERNELS_ARITHMETIC_H_

#include <cstdint>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/binary_kernel.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_arithmetic.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// What an activation leaves of integers that are not quantised.
template <typename T>
Range<T> IntegerRange(const Range<float>& real) {
  constexpr float kHighest = std::numeric_limits<float>::max();
  return {real.min == -kHighest ? std::numeric_limits<T>::min()
                                : static_cast<T>(real.min),
          real.max == kHighest ? std::numeric_limits<T>::max()
                               : static_cast<T>(real.max)};
}

template <typename Op>
class Arithmetic : public BinaryKernel {
 public:
  absl::Status Invoke(OperatorContext& context) override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        return Plain<float>(context, range_);
      case ElementType::kInt32:
        return Plain<int32_t>(context, IntegerRange<int32_t>(range_));
      case ElementType::kInt64:
        return Plain<int64_t>(context, IntegerRange<int64_t>(range_));
      case ElementType::kInt8:
        return Quantized<int8_t>(context);
      case ElementType::kUint8:
        return Quantized<uint8_t>(context);
      default:
        return Quantized<int16_t>(context);
    }
  }

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, 0,
        {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64,
         ElementType::kInt8, ElementType::kUint8, ElementType::kInt16}));
    const ElementType type = context.input(0).type;
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {type}));
    const auto options = OptionsOf<typename Op::Options>(context.spec());
    if (!options.ok()) return options.status();
    activation_ = (*options)->fused_activation_function();
    const absl::StatusOr<Range<float>> range = FloatRange(activation_);
    if (!range.ok()) return range.status();
    range_ = *range;
    const bool is_plain = type == ElementType::kFloat32 ||
                          type == ElementType::kInt32 ||
                          type == ElementType::kInt64;
    return is_plain ? absl::OkStatus() : CheckQuantizedPair(context);
  }

  template <typename T>
  absl::Status Plain(OperatorContext& context, Range<T> range) const {
    if constexpr (Op::kDivides && std::numeric_limits<T>::is_integer) {
      STOWAGE_RETURN_IF_ERROR(CheckDivisor<T>(context, 0));
    }
    Compute<T, T>(context, [range](T a, T b) {
      return range.Clamp(Op::template Of<T>(a, b));
    });
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status Quantized(OperatorContext& context) const {
    const Tensor& b = context.input(1);
    if constexpr (Op::kDivides) {
      STOWAGE_RETURN_IF_ERROR(
          CheckDivisor<T>(context, b.quantization.zero_point()));
    }
    const Tensor& output = context.output(0);
    const absl::StatusOr<Range<int32_t>> range =
        QuantizedRange(activation_, output);
    if (!range.ok()) return range.status();
    const typename Op::Quantized f =
        Op::Quantize(context.input(0), b, output, *range);
    Compute<T, T>(context, [f](T x, T y) { return static_cast<T>(f(x, y)); });
    return absl::OkStatus();
  }

  template <typename T>
  static absl::Status CheckDivisor(const OperatorContext& context,
                                   int32_t zero) {
    if (!absl::c_linear_search(context.input(1).span<T>(), T(zero))) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        InputPlace(context, 1), ": it has an element 0: expected divisors"));
  }

  tflite::ActivationFunctionType activation_ =
      tflite::ActivationFunctionType::NONE;
  Range<float> range_ = {};
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_ARITHMETIC_H_
