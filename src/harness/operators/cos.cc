// COS: the cosine of an angle in radians, elementwise.
#include <cmath>
#include <vector>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::cos {
namespace {

struct Cos {
  float operator()(float x) const { return std::cos(x); }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("COS")
              .Computes("the cosine of an angle in radians, elementwise")
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<FloatKernel<Cos>>()};
}

}  // namespace stowage::harness::cos
