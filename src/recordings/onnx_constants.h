// SPDX-License-Identifier: Apache-2.0
// Computes the contents of small tensors that determine the shapes of other
// tensors: exporters write Reshape targets, sizes and axes as small graphs of
// Shape, Gather, Concat and arithmetic. Some elements of a tensor may be
// unknown while others are known. Activations are never computed, because the
// result of any operator other than Concat remains unknown if the contents of
// one of its inputs are unknown.
#ifndef STOWAGE_SRC_RECORDINGS_ONNX_CONSTANTS_H_
#define STOWAGE_SRC_RECORDINGS_ONNX_CONSTANTS_H_

#include <cstddef>

#include "src/recordings/onnx_call.h"

namespace stowage::recordings {

// Sets the contents of the first output of a call. Requires that the shapes of
// the outputs are set. The contents remain unset if the operator is not
// supported here, if the output has too many elements, or if nothing is known
// about the elements. Returns the amount of work, in elements.
size_t ComputeOnnxData(OnnxCall* call);

// Sets the contents of the first output if the operator only moves elements
// (onnx_constants_layout.cc). Returns whether this is the case.
bool MoveOnnxData(OnnxCall* call);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ONNX_CONSTANTS_H_
