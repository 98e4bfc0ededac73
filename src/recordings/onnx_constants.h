// SPDX-License-Identifier: Apache-2.0
// Computes the content of small tensors from which the shapes of other tensors
// follow: exporters write Reshape targets, sizes and axes as small graphs of
// Shape, Gather, Concat and arithmetic. Some elements may be unknown while
// others are known. Activations are never computed: the result of an operator
// other than Concat stays unknown if the content of one of its inputs is
// unknown.
#ifndef STOWAGE_SRC_RECORDINGS_ONNX_CONSTANTS_H_
#define STOWAGE_SRC_RECORDINGS_ONNX_CONSTANTS_H_

#include <cstddef>

#include "src/recordings/onnx_call.h"

namespace stowage::recordings {

// Sets the content of the first output of a call. The outputs must already have
// shapes. The content stays unset if this file does not support the operator,
// if the output has too many elements, or if nothing is known about the
// elements. Returns the work that was done, in elements.
size_t ComputeOnnxData(OnnxCall* call);

// Sets the content of the first output if the operator only moves elements
// (onnx_constants_layout.cc). Returns whether the operator does so.
bool MoveOnnxData(OnnxCall* call);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ONNX_CONSTANTS_H_
