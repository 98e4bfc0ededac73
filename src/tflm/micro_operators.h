// SPDX-License-Identifier: Apache-2.0
// Checks whether TensorFlow Lite Micro can load a model. For the memory that
// its kernels request, see micro_kernels.h.
#ifndef STOWAGE_SRC_TFLM_MICRO_OPERATORS_H_
#define STOWAGE_SRC_TFLM_MICRO_OPERATORS_H_

#include "absl/status/status.h"
#include "stowage/tflite/model.h"

namespace stowage {

// Checks whether a device can load the model, as far as this depends on types
// and on numbers of tensors. If the check fails, a device refuses the model
// even in the largest arena. Errors: InvalidArgument, naming the tensor, if the
// device does not know the size of the tensor's type (even if the tensor is a
// constant); InvalidArgument, naming the operator, if the operator has more or
// fewer inputs or outputs than its kernel takes, or if it calls a subgraph with
// different arguments than the subgraph takes. O(tensors and operators).
absl::Status CheckDeviceLoads(const Model& model);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_MICRO_OPERATORS_H_
