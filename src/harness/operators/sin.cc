// SIN: the sine of an angle in radians, elementwise.
#include <cmath>
#include <vector>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::sin {
namespace {

struct Sin {
  float operator()(float x) const { return std::sin(x); }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("SIN")
              .Computes("the sine of an angle in radians, elementwise")
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<FloatKernel<Sin>>()};
}

}  // namespace stowage::harness::sin
