// RSQRT: 1 / sqrt(x), elementwise.
#include <cmath>
#include <memory>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::rsqrt {
namespace {

struct Rsqrt {
  float operator()(float x) const { return 1.0F / std::sqrt(x); }
};

}  // namespace

OperatorRegistration Registration() {
  return {"RSQRT", false, 1, 3, InPlace::kInput0, false, [] {
            return std::make_unique<FloatKernel<Rsqrt>>();
          }};
}

}  // namespace stowage::harness::rsqrt
