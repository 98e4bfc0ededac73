// SPDX-License-Identifier: Apache-2.0
// Infers the types and shapes of the results of ONNX operators. A table maps
// each operator to a function that sets everything that certainly follows from
// the inputs. The function leaves the rest unknown and never guesses. Sources:
// docs/Operators.md and docs/Changelog.md of github.com/onnx/onnx, and
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

// Return the tables of the standard operators, one for each family.
Span<const OnnxShapeRow> OnnxElementwiseShapes();
Span<const OnnxShapeRow> OnnxWindowShapes();  // convolutions, pools
Span<const OnnxShapeRow> OnnxImageShapes();   // resizing, padding
Span<const OnnxShapeRow> OnnxMatrixShapes();  // products, recurrent layers
Span<const OnnxShapeRow> OnnxLayoutShapes();  // reshaping, joining, splitting
Span<const OnnxShapeRow> OnnxIndexShapes();   // gathering, slicing, searching
Span<const OnnxShapeRow> OnnxReductionShapes();  // sums, normalizations
Span<const OnnxShapeRow> OnnxSourceShapes();     // constants, ranges, signals

// Return the tables for the domains com.microsoft and ai.onnx.ml.
Span<const OnnxShapeRow> OnnxMicrosoftShapes();
Span<const OnnxShapeRow> OnnxLearningShapes();

// Returns the function of an operator, or null if the operator is unknown or
// has subgraphs (onnx_infer.h).
OnnxShapeFunction FindOnnxShape(string_view domain, string_view op);

// Functions that are used for several families of operators. They set the type
// of the first output to the type of the first input, the broadcast of all
// inputs, the product of two matrices, or the result of a convolution,
// respectively.
void ShapeOfSameAsInput(OnnxCall* call);
void ShapeOfBroadcast(OnnxCall* call);
void ShapeOfMatMul(OnnxCall* call);
void ShapeOfConv(OnnxCall* call);

// The elements of a dimension that are in a slice: the first element, the step
// between elements, and the number of elements.
struct OnnxSlice {
  int64_t first;
  int64_t step;
  int64_t count;
};
// Returns the slice of a dimension from `start` to `end`. Negative numbers
// count from the end of the dimension. Returns nothing if the extent is open or
// the step is 0.
optional<OnnxSlice> SliceOnnxExtent(int64_t extent, int64_t start, int64_t end,
                                    int64_t step);

// Returns the range [first, last) of the dimensions for which a Shape operator
// returns the extents.
std::pair<size_t, size_t> OnnxShapeRange(const OnnxCall& call, size_t rank);

// Sets the first output to the product of two matrices, which may have batch
// dimensions before the last two dimensions.
void SetOnnxProduct(const OnnxDims* a, const OnnxDims* b, int32_t element,
                    OnnxCall* call);

// Sets the first output to a convolution of the first input. `weights` has the
// channels and the extents of the kernel, or is null if they are unknown.
void SetOnnxConv(const OnnxDims* weights, int32_t element, OnnxCall* call);

// Sets the first output to the result of pooling the first input.
void SetOnnxPool(bool is_channels_last, OnnxCall* call);

// Sets the extents of the first output to those of the first input, but with
// extents of 1 for all spatial dimensions.
void SetOnnxGlobalPool(bool is_channels_last, OnnxCall* call);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_ONNX_SHAPES_H_
