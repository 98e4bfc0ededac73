// SQRT: the square root, elementwise.
#include <cmath>
#include <vector>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::sqrt {
namespace {

struct Sqrt {
  float operator()(float x) const { return std::sqrt(x); }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("SQRT")
              .Computes("the square root, elementwise")
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<FloatKernel<Sqrt>>()};
}

}  // namespace stowage::harness::sqrt
