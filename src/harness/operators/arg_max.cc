// ARG_MAX: the index of the largest element along an axis.
#include <functional>
#include <vector>

#include "src/harness/kernels/arg_extremum.h"

namespace stowage::harness::arg_max {

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("ARG_MAX")
              .Computes("the index of the largest element along an axis")
              .OfVersions(1, 3)
              .Creates<ArgExtremum<std::greater<>>>()};
}

}  // namespace stowage::harness::arg_max
