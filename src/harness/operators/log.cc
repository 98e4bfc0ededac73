// LOG: the natural logarithm, elementwise.
#include <cmath>
#include <vector>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::log {
namespace {

struct Log {
  float operator()(float x) const { return std::log(x); }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("LOG")
              .Computes("the natural logarithm, elementwise")
              .OfVersions(1, 2)
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<FloatKernel<Log>>()};
}

}  // namespace stowage::harness::log
