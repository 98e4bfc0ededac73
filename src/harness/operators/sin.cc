// SIN: the sine of an angle in radians, elementwise.
#include <cmath>
#include <memory>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::sin {
namespace {

struct Sin {
  float operator()(float x) const { return std::sin(x); }
};

}  // namespace

OperatorRegistration Registration() {
  return {"SIN", false, 1, 1, InPlace::kInput0, false, [] {
            return std::make_unique<FloatKernel<Sin>>();
          }};
}

}  // namespace stowage::harness::sin
