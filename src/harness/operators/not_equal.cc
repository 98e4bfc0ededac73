// NOT_EQUAL: a != b, elementwise, with broadcasting.
#include <functional>
#include <vector>

#include "src/harness/kernels/comparison.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::not_equal {

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("NOT_EQUAL")
              .Computes("a != b, elementwise, with broadcasting")
              .OfVersions(1, 3)
              .Creates<Comparison<std::not_equal_to<>, false>>()};
}

}  // namespace stowage::harness::not_equal
