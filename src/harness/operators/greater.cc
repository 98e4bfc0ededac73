// GREATER: a > b, elementwise, with broadcasting.
#include <functional>
#include <vector>

#include "src/harness/kernels/comparison.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::greater {

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("GREATER")
              .Computes("a > b, elementwise, with broadcasting")
              .OfVersions(1, 3)
              .Creates<Comparison<std::greater<>, true>>()};
}

}  // namespace stowage::harness::greater
