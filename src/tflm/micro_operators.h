// SPDX-License-Identifier: Apache-2.0
// Checks what TensorFlow Lite Micro can load. How much memory its kernels ask
// of the arena is in micro_kernels.h.
#ifndef STOWAGE_SRC_TFLM_MICRO_OPERATORS_H_
#define STOWAGE_SRC_TFLM_MICRO_OPERATORS_H_

#include "absl/status/status.h"
#include "stowage/tflite/model.h"

namespace stowage {

// Checks whether a device loads the model, as far as this depends on types and
// on numbers of tensors. A device would refuse the model whatever the size of
// its arena. Error: InvalidArgument, naming the tensor, for a type whose size
// the device does not know, even if the tensor is a constant; and, naming the
// operator, if an operator has more or fewer inputs or outputs than its kernel
// takes, or if it calls a subgraph with other arguments than the subgraph
// takes. O(tensors and operators).
absl::Status CheckDeviceLoads(const Model& model);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_MICRO_OPERATORS_H_
