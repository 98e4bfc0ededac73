#include "src/harness/kernels/softmax8.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/fixed_point_functions.h"

namespace stowage::harness {

absl::StatusOr<Softmax8> Softmax8::Make(float scale, float beta) {
  // Differences become Q5 numbers.
  constexpr int kIntegerBits = 5;
  const double factor =
      std::min(std::ldexp(double{beta} * double{scale}, 31 - kIntegerBits),
               2147483647.0);
  if (!(factor > 1.0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its beta is ", beta, " and its input's scale ", scale,
                     ": expected a product above 2^-26"));
  }
  const Multiplier multiplier = QuantizeMultiplier(factor);
  int exponent = 0;
  std::frexp(factor, &exponent);
  // Beyond the radius the exponential is too small to count.
  const int32_t radius = InputRadius(kIntegerBits, exponent);
  Softmax8 result;
  const int32_t count = std::min(radius, 255) + 1;
  for (int32_t i = 0; i < count; ++i) {
    result.exp_[static_cast<size_t>(i)] =
        ExpOfNegative(Multiply(-i, multiplier), kIntegerBits);
  }
  return result;
}

}  // namespace stowage::harness
