// MEAN and SUM: the sum along some axes, and that divided by how many there
// are.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_REDUCE_MEAN_H_
#define STOWAGE_SRC_HARNESS_KERNELS_REDUCE_MEAN_H_

#include <memory>

#include "stowage/harness/operator.h"

namespace stowage::harness {

std::unique_ptr<Kernel> MakeMean();
std::unique_ptr<Kernel> MakeSum();

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_REDUCE_MEAN_H_
