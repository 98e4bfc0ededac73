// SPDX-License-Identifier: Apache-2.0
// Computes the content of small tensors, from which the shapes of others
// follow: exporters write Reshape targets, sizes and axes as small graphs of
// Shape, Gather, Concat and arithmetic. An element that is not known stays
// unknown and does not keep others from being known. Activations are never
// followed: an operator of which one input is not known has no known result.
#ifndef STOWAGE_SRC_RECORDINGS_ONNX_CONSTANTS_H_
#define STOWAGE_SRC_RECORDINGS_ONNX_CONSTANTS_H_

#include <cstddef>

#include "src/recordings/onnx_call.h"

namespace stowage::recordings {

// Sets the content of the first output of a call whose outputs have shapes. It
// stays unset if the operator is not known here, if the output has too many
// elements or if nothing is known about them. Returns the work that this took,
// in elements.
size_t ComputeOnnxData(OnnxCall* call);

// Moves elements without changing them (onnx_constants_layout.cc): returns
// whether the operator is one of those that do.
bool MoveOnnxData(OnnxCall* call);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ONNX_CONSTANTS_H_
