// MUL: a * b, elementwise, with broadcasting and a fused activation.
#include <vector>

#include "src/harness/kernels/arithmetic.h"
#include "src/harness/kernels/wrapping.h"

namespace stowage::harness::mul {
namespace {

struct Product {
  using Options = tflite::MulOptions;
  using Quantized = QuantizedProduct;
  static constexpr bool kDivides = false;

  template <typename T>
  static T Of(T a, T b) {
    return Wrapping(a, b, [](auto x, auto y) { return x * y; });
  }
  static Quantized Quantize(const Tensor& a, const Tensor& b,
                            const Tensor& output, Range<int32_t> range) {
    return {a, b, output, range};
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("MUL")
          .Computes(
              "a * b, elementwise, with broadcasting and a fused activation")
          .OfVersions(1, 7)
          .SharesMemoryOf(InPlace::kInput0 | InPlace::kInput1)
          .Creates<Arithmetic<Product>>()};
}

}  // namespace stowage::harness::mul
