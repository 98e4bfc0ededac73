// SPDX-License-Identifier: Apache-2.0
// Says what TensorFlow Lite Micro can load. For what its kernels ask of the
// arena, see micro_kernels.h.
#ifndef STOWAGE_SRC_TFLM_MICRO_OPERATORS_H_
#define STOWAGE_SRC_TFLM_MICRO_OPERATORS_H_

#include "absl/status/status.h"
#include "stowage/tflite/model.h"

namespace stowage {

// Returns an error if a device refuses the model whatever its arena, as far as
// types and numbers of tensors show: InvalidArgument, naming the tensor, for a
// type whose size the device does not know, even of a constant; and, naming the
// operator, for more or fewer inputs or outputs than its kernel takes, and for
// the call of a subgraph that takes other arguments. O(tensors and operators).
absl::Status CheckDeviceLoads(const Model& model);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_MICRO_OPERATORS_H_
