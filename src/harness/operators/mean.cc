// MEAN: the mean of the elements along some axes.
#include "src/harness/kernels/reduce_mean.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::mean {

OperatorRegistration Registration() {
  return {"MEAN", false, 1, 3, InPlace::kNever, false, MakeMean};
}

}  // namespace stowage::harness::mean
