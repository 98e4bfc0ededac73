// MEAN: the mean of the elements along some axes.
#include <vector>

#include "src/harness/kernels/reduce_mean.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::mean {

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("MEAN")
              .Computes("the mean of the elements along some axes")
              .OfVersions(1, 3)
              .CreatedBy(MakeMean)};
}

}  // namespace stowage::harness::mean
