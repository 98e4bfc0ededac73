// SUB: a - b, elementwise, with broadcasting and a fused activation.
#include <vector>

#include "src/harness/kernels/arithmetic.h"
#include "src/harness/kernels/wrapping.h"

namespace stowage::harness::sub {
namespace {

struct Difference {
  using Options = tflite::SubOptions;
  using Quantized = QuantizedSum;
  static constexpr bool kDivides = false;

  template <typename T>
  static T Of(T a, T b) {
    return Wrapping(a, b, [](auto x, auto y) { return x - y; });
  }
  static Quantized Quantize(const Tensor& a, const Tensor& b,
                            const Tensor& output, Range<int32_t> range) {
    return {a, b, output, range, /*is_difference=*/true};
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("SUB")
          .Computes(
              "a - b, elementwise, with broadcasting and a fused activation")
          .OfVersions(1, 5)
          .SharesMemoryOf(InPlace::kInput0 | InPlace::kInput1)
          .Creates<Arithmetic<Difference>>()};
}

}  // namespace stowage::harness::sub
