// CEIL: the smallest integer that is not below x, elementwise.
#include <cmath>
#include <vector>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::ceil {
namespace {

struct Ceil {
  float operator()(float x) const { return std::ceil(x); }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("CEIL")
              .Computes("the smallest integer that is not below x, elementwise")
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<FloatKernel<Ceil>>()};
}

}  // namespace stowage::harness::ceil
