// LOGICAL_OR: a or b, elementwise, with broadcasting.
#include <functional>
#include <vector>

#include "src/harness/kernels/logical.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::logical_or {

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("LOGICAL_OR")
              .Computes("a or b, elementwise, with broadcasting")
              .SharesMemoryOf(InPlace::kInput0 | InPlace::kInput1)
              .Creates<Logical<std::logical_or<>>>()};
}

}  // namespace stowage::harness::logical_or
