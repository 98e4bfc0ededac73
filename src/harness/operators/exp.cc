// EXP: e to the power of x, elementwise.
#include <cmath>
#include <vector>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::exp {
namespace {

struct Exp {
  float operator()(float x) const { return std::exp(x); }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("EXP")
              .Computes("e to the power of x, elementwise")
              .OfVersions(1, 2)
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<FloatKernel<Exp>>()};
}

}  // namespace stowage::harness::exp
