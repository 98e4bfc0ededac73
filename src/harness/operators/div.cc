// DIV: a / b, elementwise, with broadcasting and a fused activation. Integers
// are divided towards zero; a divisor 0 is an error, except in floating point.
#include <limits>
#include <vector>

#include "src/harness/kernels/arithmetic.h"
#include "src/harness/kernels/wrapping.h"

namespace stowage::harness::div {
namespace {

struct Quotient {
  using Options = tflite::DivOptions;
  using Quantized = QuantizedQuotient;
  static constexpr bool kDivides = true;

  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::numeric_limits<T>::is_integer) {
      // The one quotient that overflows is the smallest number by -1.
      if (b == -1) {
        return Wrapping(T{0}, a, [](auto x, auto y) { return x - y; });
      }
    }
    return a / b;
  }
  static Quantized Quantize(const Tensor& a, const Tensor& b,
                            const Tensor& output, Range<int32_t> range) {
    return {a, b, output, range};
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("DIV")
          .Computes(
              "a / b, elementwise, with broadcasting and a fused activation")
          .OfVersions(1, 2)
          .SharesMemoryOf(InPlace::kInput0 | InPlace::kInput1)
          .Creates<Arithmetic<Quotient>>()};
}

}  // namespace stowage::harness::div
