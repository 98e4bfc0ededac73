// RELU and its kin: what lies outside a range becomes its end.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_RELU_H_
#define STOWAGE_SRC_HARNESS_KERNELS_RELU_H_

#include <memory>

#include "src/harness/kernels/fixed_point.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {

// The end of a range may be infinity.
std::unique_ptr<Kernel> MakeRelu(Range<float> range);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_RELU_H_
