// MINIMUM: the smaller of a and b, elementwise, with broadcasting.
#include <functional>
#include <vector>

#include "src/harness/kernels/extremum.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::minimum {

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("MINIMUM")
          .Computes("the smaller of a and b, elementwise, with broadcasting")
          .OfVersions(1, 4)
          .SharesMemoryOf(InPlace::kInput0 | InPlace::kInput1)
          .Creates<Extremum<std::less<>>>()};
}

}  // namespace stowage::harness::minimum
