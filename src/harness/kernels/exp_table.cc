// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/exp_table.h"

#include <algorithm>
#include <cmath>

#include "gemmlowp/fixedpoint/fixedpoint.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness {

absl::StatusOr<ExpTable> MakeExpTable(float scale, float beta) {
  // The differences are converted to Q5 numbers, which have 5 integer bits.
  constexpr int kIntegerBits = 5;
  const double factor =
      std::min(std::ldexp(double{beta} * double{scale}, 31 - kIntegerBits),
               2147483647.0);
  if (!(factor > 1.0)) {
    return RefuseModel("its beta is ", beta, " and its input's scale ", scale,
                       "; expected a product above 2^-26");
  }
  const Multiplier multiplier = QuantizeMultiplier(factor);
  int exponent = 0;
  std::frexp(factor, &exponent);
  // For differences beyond the radius the exponential is negligible.
  const int32_t radius = InputRadius(kIntegerBits, exponent);
  ExpTable table = {};
  for (int32_t d = 0; d <= std::min(radius, 255); ++d) {
    const auto x = gemmlowp::FixedPoint<int32_t, kIntegerBits>::FromRaw(
        Multiply(-d, multiplier));
    table[static_cast<size_t>(d)] = gemmlowp::exp_on_negative_values(x).raw();
  }
  return table;
}

}  // namespace stowage::harness
