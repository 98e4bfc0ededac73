// ARG_MIN: the index of the smallest element along an axis.
#include <functional>
#include <vector>

#include "src/harness/kernels/arg_extremum.h"

namespace stowage::harness::arg_min {

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("ARG_MIN")
              .Computes("the index of the smallest element along an axis")
              .OfVersions(1, 3)
              .Creates<ArgExtremum<std::less<>>>()};
}

}  // namespace stowage::harness::arg_min
