// LESS: a < b, elementwise, with broadcasting.
#include <functional>
#include <vector>

#include "src/harness/kernels/comparison.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::less {

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("LESS")
              .Computes("a < b, elementwise, with broadcasting")
              .OfVersions(1, 3)
              .Creates<Comparison<std::less<>, true>>()};
}

}  // namespace stowage::harness::less
