// SUB: a - b, elementwise, with broadcasting and a fused activation.
#include <memory>

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

OperatorRegistration Registration() {
  return {"SUB", false, 1, 5, InPlace::kInput0 | InPlace::kInput1, false, [] {
            return std::make_unique<Arithmetic<Difference>>();
          }};
}

}  // namespace stowage::harness::sub
