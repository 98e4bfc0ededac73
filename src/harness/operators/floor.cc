// FLOOR: the largest integer that is not above x, elementwise.
#include <cmath>
#include <vector>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::floor {
namespace {

struct Floor {
  float operator()(float x) const { return std::floor(x); }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("FLOOR")
              .Computes("the largest integer that is not above x, elementwise")
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<FloatKernel<Floor>>()};
}

}  // namespace stowage::harness::floor
