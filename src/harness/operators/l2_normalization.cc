// SPDX-License-Identifier: Apache-2.0
// Registers L2_NORMALIZATION, which divides each row along the last dimension
// by the square root of the sum of its squares.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "absl/numeric/bits.h"
#include "gemmlowp/fixedpoint/fixedpoint.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness::l2_normalization {
namespace {

using Types = TypeList<float, int8_t, uint8_t>;

void NormalizeRow(const float* in, int64_t depth, int32_t /*zero*/,
                  const QuantizedOutput& /*result*/, float* out) {
  // The divisor is never smaller than this number, so a row of zeros stays a
  // row of zeros.
  constexpr float kLeast = 1e-6F;
  float squares = 0;
  for (int64_t c = 0; c < depth; ++c) squares += in[c] * in[c];
  const float norm = std::max(std::sqrt(squares), kLeast);
  for (int64_t c = 0; c < depth; ++c) out[c] = in[c] / norm;
}

// Returns 1 / sqrt(x) as a multiplier, or the multiplier of 1 if x is 0.
Multiplier InverseSquareRoot(int32_t x) {
  if (x <= 1) return {std::numeric_limits<int32_t>::max(), 0};
  // Scales x by an even power of two into [2^27, 2^29). The result is corrected
  // by the root of that power at the end.
  int right_shift = 11;
  while (x >= (1 << 29)) {
    x /= 4;
    ++right_shift;
  }
  const int pairs = (absl::countl_zero(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  right_shift -= pairs;
  using Q0 = gemmlowp::FixedPoint<int32_t, 0>;
  using Q3 = gemmlowp::FixedPoint<int32_t, 3>;
  const Q3 half = Q3::FromRaw(RoundingShiftRight((x << (2 * pairs)) >> 1, 1));
  const Q3 three_halves = Q3::FromRaw((1 << 28) + (1 << 27));
  // Newton's method: guess = 3/2 guess - x/2 guess^3.
  Q3 guess = Q3::One();
  for (int i = 0; i < 5; ++i) {
    const Q3 cube = gemmlowp::Rescale<3>(guess * guess * guess);
    guess = gemmlowp::Rescale<3>(three_halves * guess - half * cube);
  }
  const Q0 half_root_of_two = Q0::FromRaw(1518500250);
  int32_t mantissa = (guess * half_root_of_two).raw();
  if (right_shift < 0) {
    mantissa *= 1 << -right_shift;
    right_shift = 0;
  }
  return {mantissa, -right_shift};
}

// Normalizes a row. The result has 7 fractional bits.
template <typename T>
void NormalizeRow(const T* in, int64_t depth, int32_t zero,
                  const QuantizedOutput& result, T* out) {
  int64_t squares = 0;
  for (int64_t c = 0; c < depth; ++c) {
    const int32_t x = in[c] - zero;
    squares += int64_t{x} * x;
  }
  const Multiplier inverse = InverseSquareRoot(static_cast<int32_t>(
      std::min<int64_t>(squares, std::numeric_limits<int32_t>::max())));
  for (int64_t c = 0; c < depth; ++c) {
    const int32_t x = in[c] - zero;
    // The 7 fractional bits come from the exponent of the multiplier for signed
    // types, and from a factor of 128 for unsigned types. The two ways round
    // differently.
    const int32_t y =
        std::is_signed_v<T>
            ? Multiply(x, Multiplier{inverse.mantissa, inverse.exponent + 7})
            : Multiply(128 * x, inverse);
    out[c] = static_cast<T>(result.At(y));
  }
}

class L2Normalization : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckOneType(context, 1, Types()));
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 1, INT32_MAX));
    const Tensor& input = context.input(0);
    STOWAGE_ASSIGN_OR_RETURN(const auto* const options,
                             OptionsOf<tflite::L2NormOptions>(context));
    if (options->fused_activation_function() !=
        tflite::ActivationFunctionType::NONE) {
      return RefuseModel("it has a fused activation; expected none");
    }
    if (input.type != ElementType::kFloat32) {
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
      STOWAGE_RETURN_IF_ERROR(CheckOutputScale(
          context, 1.0F / 128, input.type == ElementType::kInt8 ? 0 : 128));
      result_ = QuantizedOutputOf(context.output(0));
    }
    return context.ResizeOutput(0, input.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    const int64_t depth = input.dim(-1);
    return DispatchType(Types(), input.type, [&](auto zero) {
      using T = decltype(zero);
      for (int64_t at = 0; at < input.elements(); at += depth) {
        NormalizeRow(input.as<T>() + at, depth, input.quantization.zero_point(),
                     result_, output.as<T>() + at);
      }
    });
  }

 private:
  QuantizedOutput result_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<L2Normalization>("L2_NORMALIZATION",
                                    "x divided by the root of the sum of its "
                                    "squares along the last dimension")
              .OfVersions(1, 2)
              .SharesMemoryOf(InPlace::kInput0)};
}

}  // namespace stowage::harness::l2_normalization
