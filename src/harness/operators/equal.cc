// EQUAL: a == b, elementwise, with broadcasting.
#include <functional>
#include <vector>

#include "src/harness/kernels/comparison.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::equal {

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("EQUAL")
              .Computes("a == b, elementwise, with broadcasting")
              .OfVersions(1, 4)
              .Creates<Comparison<std::equal_to<>, false>>()};
}

}  // namespace stowage::harness::equal
