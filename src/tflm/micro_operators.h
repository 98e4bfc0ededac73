// SPDX-License-Identifier: Apache-2.0
// Checks whether TensorFlow Lite Micro can load a model. For the memory that
// its kernels request, see micro_kernels.h.
#ifndef STOWAGE_SRC_TFLM_MICRO_OPERATORS_H_
#define STOWAGE_SRC_TFLM_MICRO_OPERATORS_H_

#include "absl/status/status.h"
#include "stowage/tflite/model.h"

namespace stowage {

// Checks whether the types and the numbers of tensors in a model allow a device
// to load it. If the check fails, a device rejects the model even with the
// largest arena. O(tensors and operators). Errors:
// - InvalidArgument, with the name of the tensor, if the device does not know
//   the size of the type of the tensor (even if the tensor is a constant).
// - InvalidArgument, with the name of the operator, if the operator has more or
//   fewer inputs or outputs than its kernel accepts, or if it calls a subgraph
//   with arguments that do not match the inputs of the subgraph.
absl::Status CheckDeviceLoads(const Model& model);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_MICRO_OPERATORS_H_
