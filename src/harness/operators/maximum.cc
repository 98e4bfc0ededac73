// MAXIMUM: the larger of a and b, elementwise, with broadcasting.
#include <functional>
#include <vector>

#include "src/harness/kernels/extremum.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::maximum {

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("MAXIMUM")
              .Computes("the larger of a and b, elementwise, with broadcasting")
              .OfVersions(1, 4)
              .SharesMemoryOf(InPlace::kInput0 | InPlace::kInput1)
              .Creates<Extremum<std::greater<>>>()};
}

}  // namespace stowage::harness::maximum
