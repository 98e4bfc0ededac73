// SPDX-License-Identifier: Apache-2.0
// Finds the types and shapes of the results of ONNX operators. A table maps
// each operator to a function, which sets everything that follows from the
// inputs with certainty. The function leaves the rest unknown and never
// guesses. Sources are the pages docs/Operators.md and docs/Changelog.md of
// github.com/onnx/onnx, and docs/ContribOperators.md of
// github.com/microsoft/onnxruntime.
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

// Return the tables of the standard operators, one for each family.
Span<const OnnxShapeRow> OnnxElementwiseShapes();
Span<const OnnxShapeRow> OnnxWindowShapes();  // convolutions, pools
Span<const OnnxShapeRow> OnnxImageShapes();   // resizing, padding
Span<const OnnxShapeRow> OnnxMatrixShapes();  // products, recurrent layers
Span<const OnnxShapeRow> OnnxLayoutShapes();  // reshaping, joining, splitting
Span<const OnnxShapeRow> OnnxIndexShapes();   // gathering, slicing, searching
Span<const OnnxShapeRow> OnnxReductionShapes();  // sums, normalizations
Span<const OnnxShapeRow> OnnxSourceShapes();     // constants, ranges, signals

// Return the tables of the domains com.microsoft and ai.onnx.ml.
Span<const OnnxShapeRow> OnnxMicrosoftShapes();
Span<const OnnxShapeRow> OnnxLearningShapes();

// Returns the function of an operator, or null if the operator is unknown or
// has subgraphs (onnx_infer.h).
OnnxShapeFunction FindOnnxShape(string_view domain, string_view op);

// Several families use these functions. They set the first output to the type
// of the first input (ShapeOfSameAsInput), the broadcast of all inputs, the
// product of two matrices, or the result of a convolution.
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
// Returns the part of a dimension from `start` to `end`. Negative numbers count
// from the end of the dimension. Returns nothing if the extent is open or the
// step is 0.
optional<OnnxSlice> SliceOnnxExtent(int64_t extent, int64_t start, int64_t end,
                                    int64_t step);

// Returns the range [first, last) of dimensions whose extents are the result of
// a Shape operator.
std::pair<size_t, size_t> OnnxShapeRange(const OnnxCall& call, size_t rank);

// Sets the extents of the first output to those of the product of two matrices.
// The matrices may have dimensions before the last two.
void SetOnnxProduct(const OnnxDims* a, const OnnxDims* b, int32_t element,
                    OnnxCall* call);

// Sets the first output to a convolution of the first input. `weights` has the
// channels and the extents of the kernel, and is null if they are unknown.
void SetOnnxConv(const OnnxDims* weights, int32_t element, OnnxCall* call);

// Sets the first output to the result of pooling the first input.
void SetOnnxPool(bool is_channels_last, OnnxCall* call);

// Sets the first output to the extents of the first input, with 1 for all
// spatial dimensions.
void SetOnnxGlobalPool(bool is_channels_last, OnnxCall* call);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ONNX_SHAPES_H_
