#include "src/harness/kernels/quantized_arithmetic.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/numeric/bits.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gemmlowp/fixedpoint/fixedpoint.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

double ScaleOf(const Tensor& tensor) {
  return double{tensor.quantization.scale()};
}

// Differences of 8-bit values have 9 bits, those of 16-bit values 16 as their
// zero points are 0: as many spare bits as 32 leave.
int SpareBits(const Tensor& output) {
  return output.type == ElementType::kInt16 ? 15 : 20;
}

int SpareBitsOfSquare(const Tensor& output) {
  return output.type == ElementType::kInt16 ? 0 : 7;
}

// The bits above those that a number takes, without the sign.
int Headroom(int32_t x) {
  const auto magnitude = static_cast<uint32_t>(x < 0 ? ~x : x);
  return absl::countl_zero(magnitude) - 1;
}

}  // namespace

absl::Status CheckQuantizedPair(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
  STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 1));
  STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
  for (const Tensor* tensor :
       {&context.input(0), &context.input(1),
        static_cast<const Tensor*>(&context.output(0))}) {
    const int32_t zero_point = tensor->quantization.zero_point();
    if (tensor->type != ElementType::kInt16 || zero_point == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the zero point of an INT16 tensor is ", zero_point, ": expected 0"));
  }
  return absl::OkStatus();
}

CommonScale::CommonScale(const Tensor& a, const Tensor& b, int spare_bits)
    : scale_(2 * std::max(ScaleOf(a), ScaleOf(b))),
      spare_bits_(spare_bits),
      zero_points_{a.quantization.zero_point(), b.quantization.zero_point()},
      factors_{QuantizeMultiplier(ScaleOf(a) / scale_),
               QuantizeMultiplier(ScaleOf(b) / scale_)} {}

QuantizedSum::QuantizedSum(const Tensor& a, const Tensor& b,
                           const Tensor& output, Range<int32_t> range,
                           bool is_difference)
    : inputs_(a, b, SpareBits(output)),
      factor_(QuantizeMultiplier(inputs_.scale() /
                                 ((1 << SpareBits(output)) * ScaleOf(output)))),
      target_{range, output.quantization.zero_point()},
      is_difference_(is_difference) {}

QuantizedProduct::QuantizedProduct(const Tensor& a, const Tensor& b,
                                   const Tensor& output, Range<int32_t> range)
    : zero_points_{a.quantization.zero_point(), b.quantization.zero_point()},
      factor_(QuantizeMultiplier(ScaleOf(a) * ScaleOf(b) / ScaleOf(output))),
      target_{range, output.quantization.zero_point()} {}

QuantizedQuotient::QuantizedQuotient(const Tensor& a, const Tensor& b,
                                     const Tensor& output, Range<int32_t> range)
    : zero_points_{a.quantization.zero_point(), b.quantization.zero_point()},
      factor_(QuantizeMultiplier(ScaleOf(a) / (ScaleOf(b) * ScaleOf(output)))),
      target_{range, output.quantization.zero_point()} {}

int32_t QuantizedQuotient::operator()(int32_t a, int32_t b) const {
  int32_t dividend = a - zero_points_[0];
  int32_t divisor = b - zero_points_[1];
  if (divisor < 0) {
    dividend = -dividend;
    divisor = -divisor;
  }
  const Reciprocal inverse =
      FixedPointReciprocal(static_cast<uint32_t>(divisor), 31);
  const int headroom = Headroom(dividend);
  const int32_t quotient = gemmlowp::SaturatingRoundingDoublingHighMul(
      ShiftLeft(dividend, headroom), inverse.mantissa);
  const Multiplier factor = {factor_.mantissa,
                             factor_.exponent - inverse.exponent - headroom};
  // Beyond 31 bits nothing is left.
  return target_.Of(factor.exponent < -31 ? 0 : Multiply(quotient, factor));
}

QuantizedSquaredDifference::QuantizedSquaredDifference(const Tensor& a,
                                                       const Tensor& b,
                                                       const Tensor& output,
                                                       Range<int32_t> range)
    : inputs_(a, b, SpareBitsOfSquare(output)),
      factor_(QuantizeMultiplier(
          inputs_.scale() * inputs_.scale() /
          ((1 << (2 * SpareBitsOfSquare(output))) * ScaleOf(output)))),
      target_{range, output.quantization.zero_point()} {}

}  // namespace stowage::harness
