// LOGICAL_AND: a and b, elementwise, with broadcasting.
#include <functional>
#include <vector>

#include "src/harness/kernels/logical.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::logical_and {

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("LOGICAL_AND")
              .Computes("a and b, elementwise, with broadcasting")
              .SharesMemoryOf(InPlace::kInput0 | InPlace::kInput1)
              .Creates<Logical<std::logical_and<>>>()};
}

}  // namespace stowage::harness::logical_and
