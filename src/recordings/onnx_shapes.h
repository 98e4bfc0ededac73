// SPDX-License-Identifier: Apache-2.0
// The types and shapes of what the operators of ONNX compute, as tables of
// functions by operator. A function sets what follows from the inputs with
// certainty, and leaves the rest unknown; it never guesses. Sources are the
// pages docs/Operators.md and docs/Changelog.md of github.com/onnx/onnx, and
// docs/ContribOperators.md of github.com/microsoft/onnxruntime.
#ifndef STOWAGE_SRC_RECORDINGS_ONNX_SHAPES_H_
#define STOWAGE_SRC_RECORDINGS_ONNX_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/recordings/onnx_call.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

using OnnxShapeFunction = void (*)(OnnxCall* call);

struct OnnxShapeRow {
  string_view op;
  OnnxShapeFunction function;
};

// The standard operators, by family.
Span<const OnnxShapeRow> OnnxElementwiseShapes();
Span<const OnnxShapeRow> OnnxWindowShapes();  // convolutions, pools
Span<const OnnxShapeRow> OnnxImageShapes();   // resizing, padding
Span<const OnnxShapeRow> OnnxMatrixShapes();  // products, recurrent layers
Span<const OnnxShapeRow> OnnxLayoutShapes();  // reshaping, joining, splitting
Span<const OnnxShapeRow> OnnxIndexShapes();   // gathering, slicing, searching
Span<const OnnxShapeRow> OnnxReductionShapes();  // sums, normalizations
Span<const OnnxShapeRow> OnnxSourceShapes();     // constants, ranges, signals

// The operators of the domains com.microsoft and ai.onnx.ml.
Span<const OnnxShapeRow> OnnxMicrosoftShapes();
Span<const OnnxShapeRow> OnnxLearningShapes();

// Returns the function of an operator, or null if it is unknown. Nodes with
// subgraphs have none (onnx_infer.h).
OnnxShapeFunction FindOnnxShape(string_view domain, string_view op);

// Functions that several families use: an output like the first input, the
// broadcast of all inputs, the product of two matrices, a convolution.
void ShapeOfSameAsInput(OnnxCall* call);
void ShapeOfBroadcast(OnnxCall* call);
void ShapeOfMatMul(OnnxCall* call);
void ShapeOfConv(OnnxCall* call);

// The part of a dimension that a slice takes: its first element, and the
// distance and the number of its elements.
struct OnnxSlice {
  int64_t first;
  int64_t step;
  int64_t count;
};
// Returns the part from `start` to `end`, which are negative if they count from
// the end, or nothing if the extent is open or the step is 0.
optional<OnnxSlice> SliceOnnxExtent(int64_t extent, int64_t start, int64_t end,
                                    int64_t step);

// Returns the dimensions, first to last, that a node of the operator Shape has
// the extents of.
std::pair<size_t, size_t> OnnxShapeRange(const OnnxCall& call, size_t rank);

// Sets the extents of the first output to the product of two matrices, which
// may have dimensions before the last two.
void SetOnnxProduct(const OnnxDims* a, const OnnxDims* b, int32_t element,
                    OnnxCall* call);

// Sets the first output to a convolution of the first input, whose channels and
// extents of kernels are those of `weights` (null if unknown).
void SetOnnxConv(const OnnxDims* weights, int32_t element, OnnxCall* call);

// Sets the first output to a pool of the first input.
void SetOnnxPool(bool is_channels_last, OnnxCall* call);

// Sets the first output to the first input with all dimensions of space 1.
void SetOnnxGlobalPool(bool is_channels_last, OnnxCall* call);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ONNX_SHAPES_H_
