// SUM: the sum of the elements along some axes.
#include <vector>

#include "src/harness/kernels/reduce_mean.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::sum {

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("SUM")
              .Computes("the sum of the elements along some axes")
              .OfVersions(1, 2)
              .CreatedBy(MakeSum)};
}

}  // namespace stowage::harness::sum
