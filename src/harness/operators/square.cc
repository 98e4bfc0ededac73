// SQUARE: x * x, elementwise.
#include <vector>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::square {
namespace {

struct Square {
  float operator()(float x) const { return x * x; }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("SQUARE")
              .Computes("x * x, elementwise")
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<FloatKernel<Square>>()};
}

}  // namespace stowage::harness::square
