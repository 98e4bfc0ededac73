// SUM: the sum of the elements along some axes.
#include "src/harness/kernels/reduce_mean.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::sum {

OperatorRegistration Registration() {
  return {"SUM", false, 1, 2, InPlace::kNever, false, MakeSum};
}

}  // namespace stowage::harness::sum
