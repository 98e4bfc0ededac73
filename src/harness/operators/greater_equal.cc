// GREATER_EQUAL: a >= b, elementwise, with broadcasting.
#include <functional>
#include <vector>

#include "src/harness/kernels/comparison.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::greater_equal {

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("GREATER_EQUAL")
              .Computes("a >= b, elementwise, with broadcasting")
              .OfVersions(1, 3)
              .Creates<Comparison<std::greater_equal<>, true>>()};
}

}  // namespace stowage::harness::greater_equal
