// SQRT: the square root, elementwise.
#include <cmath>
#include <memory>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::sqrt {
namespace {

struct Sqrt {
  float operator()(float x) const { return std::sqrt(x); }
};

}  // namespace

OperatorRegistration Registration() {
  return {"SQRT", false, 1, 1, InPlace::kInput0, false, [] {
            return std::make_unique<FloatKernel<Sqrt>>();
          }};
}

}  // namespace stowage::harness::sqrt
