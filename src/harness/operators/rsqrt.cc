// RSQRT: 1 / sqrt(x), elementwise.
#include <cmath>
#include <vector>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::rsqrt {
namespace {

struct Rsqrt {
  float operator()(float x) const { return 1.0F / std::sqrt(x); }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("RSQRT")
              .Computes("1 / sqrt(x), elementwise")
              .OfVersions(1, 3)
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<FloatKernel<Rsqrt>>()};
}

}  // namespace stowage::harness::rsqrt
