// SPDX-License-Identifier: Apache-2.0
// Infers the shapes of operators that move a window over images: convolutions
// and pooling operators, and their inverses.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/recordings/onnx_call.h"
#include "src/recordings/onnx_shapes.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

// The maximum of the numbers in attributes. Attributes with larger numbers are
// treated as corrupt, so sums and products of a few numbers cannot overflow.
constexpr int64_t kMaxWindow = int64_t{1} << 30;

enum class OnnxPadding { kGiven, kSame, kValid };

// A window along the spatial dimensions.
struct OnnxWindow {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pads;  // the sum before and after, for each dimension
  OnnxPadding padding = OnnxPadding::kGiven;
  bool is_ceil = false;
};

// Reads an attribute with one number for each spatial dimension. Returns false
// if the numbers are invalid.
bool ReadWindowList(const OnnxCall& call, string_view name, size_t rank,
                    int64_t otherwise, std::vector<int64_t>* list) {
  *list = call.Ints(name).value_or(std::vector<int64_t>());
  if (list->empty()) list->assign(rank, otherwise);
  return list->size() == rank &&
         std::all_of(list->begin(), list->end(), [](int64_t number) {
           return number >= 0 && number <= kMaxWindow;
         });
}

bool ReadPads(const OnnxCall& call, size_t rank, OnnxWindow* window) {
  std::vector<int64_t> pads =
      call.Ints("pads").value_or(std::vector<int64_t>());
  if (pads.empty()) pads.assign(2 * rank, 0);
  if (pads.size() != 2 * rank) return false;
  for (const int64_t pad : pads) {
    if (pad < -kMaxWindow || pad > kMaxWindow) return false;
  }
  for (size_t i = 0; i < rank; ++i) {
    window->pads.push_back(pads[i] + pads[rank + i]);
  }
  return true;
}

// Reads the attributes of a window. If there is no attribute for the kernel,
// the extents of the kernel are the last extents of `weights`. Returns nothing
// if the attributes do not match the rank.
optional<OnnxWindow> ReadWindow(const OnnxCall& call, size_t rank,
                                const OnnxDims* weights) {
  OnnxWindow window;
  if (call.HasAttribute("kernel_shape")) {
    if (!ReadWindowList(call, "kernel_shape", rank, 1, &window.kernel)) {
      return nullopt;
    }
  } else {
    if (weights == nullptr || weights->size() < rank) return nullopt;
    window.kernel.assign(weights->end() - static_cast<ptrdiff_t>(rank),
                         weights->end());
  }
  const bool is_read =
      ReadWindowList(call, "strides", rank, 1, &window.strides) &&
      ReadWindowList(call, "dilations", rank, 1, &window.dilations) &&
      ReadPads(call, rank, &window);
  if (!is_read) return nullopt;
  for (const int64_t stride : window.strides) {
    if (stride == 0) return nullopt;
  }
  const string_view padding = call.Text("auto_pad");
  if (padding == "SAME_UPPER" || padding == "SAME_LOWER") {
    window.padding = OnnxPadding::kSame;
  } else if (padding == "VALID") {
    window.padding = OnnxPadding::kValid;
  }
  window.is_ceil = call.Int("ceil_mode", 0) != 0;
  return window;
}

int64_t DividedUp(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// Returns the number of elements from the first to the last tap of the kernel,
// including the gaps between the taps.
int64_t CoverOf(const OnnxWindow& window, size_t i) {
  const int64_t kernel = window.kernel[i];
  return kernel == kOnnxOpen ? kOnnxOpen
                             : (kernel - 1) * window.dilations[i] + 1;
}

// Returns the number of positions of the window along a dimension.
int64_t PositionsOf(const OnnxWindow& window, size_t i, int64_t extent) {
  if (extent == kOnnxOpen) return kOnnxOpen;
  const int64_t stride = window.strides[i];
  if (window.padding == OnnxPadding::kSame) return DividedUp(extent, stride);
  const int64_t cover = CoverOf(window, i);
  const int64_t pads =
      window.padding == OnnxPadding::kValid ? 0 : window.pads[i];
  int64_t padded = 0;
  if (cover == kOnnxOpen || __builtin_add_overflow(extent, pads, &padded) ||
      padded < cover) {
    return kOnnxOpen;
  }
  const int64_t last = padded - cover;
  return (window.is_ceil ? DividedUp(last, stride) : last / stride) + 1;
}

// Returns the number of positions of a pooling window along a dimension. Does
// not count a position at which the window would begin after the end of the
// image (source: the operator AveragePool in docs/Operators.md). The padding
// before the image is in the attribute "pads" of `call`.
int64_t PoolPositionsOf(const OnnxCall& call, const OnnxWindow& window,
                        size_t i, int64_t extent) {
  int64_t positions = PositionsOf(window, i, extent);
  if (positions == kOnnxOpen || !window.is_ceil ||
      window.padding != OnnxPadding::kGiven) {
    return positions;
  }
  const std::vector<int64_t> pads =
      call.Ints("pads").value_or(std::vector<int64_t>());
  const int64_t before = i < pads.size() ? pads[i] : 0;
  if ((positions - 1) * window.strides[i] >= extent + before) --positions;
  return positions;
}

void ShapeOfConvInteger(OnnxCall* call) {
  SetOnnxConv(call->Dims(1), kOnnxInt32, call);
}

void ShapeOfQLinearConv(OnnxCall* call) {
  const int32_t element =
      call->HasInput(7) ? call->Element(7) : call->Element(0);
  SetOnnxConv(call->Dims(3), element, call);
}

// Returns an extent of the output of a transposed convolution.
int64_t TransposedExtent(const OnnxWindow& window, size_t i, int64_t extent,
                         int64_t output_padding) {
  const int64_t stride = window.strides[i];
  if (window.padding == OnnxPadding::kSame) {
    return MultiplyOnnxExtents(extent, stride);
  }
  const int64_t cover = CoverOf(window, i);
  if (extent <= 0 || cover == kOnnxOpen) return kOnnxOpen;
  const int64_t pads =
      window.padding == OnnxPadding::kValid ? 0 : window.pads[i];
  return ShiftOnnxExtent(MultiplyOnnxExtents(extent - 1, stride),
                         cover + output_padding - pads);
}

void ShapeOfConvTranspose(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  const OnnxDims* const weights = call->Dims(1);
  if (input == nullptr || input->size() < 3) return;
  const size_t rank = input->size() - 2;
  OnnxDims dims = *input;
  dims[1] = weights != nullptr && weights->size() == input->size()
                ? MultiplyOnnxExtents((*weights)[1], call->Int("group", 1))
                : kOnnxOpen;
  const std::vector<int64_t> given =
      call->Ints("output_shape").value_or(std::vector<int64_t>());
  if (given.size() >= rank) {
    std::copy(given.end() - static_cast<ptrdiff_t>(rank), given.end(),
              dims.begin() + 2);
    call->SetDims(0, std::move(dims));
    return;
  }
  const optional<OnnxWindow> window = ReadWindow(*call, rank, weights);
  std::vector<int64_t> extra;
  if (!window || !ReadWindowList(*call, "output_padding", rank, 0, &extra)) {
    return;
  }
  for (size_t i = 0; i < rank; ++i) {
    dims[2 + i] = TransposedExtent(*window, i, (*input)[2 + i], extra[i]);
  }
  call->SetDims(0, std::move(dims));
}

void ShapeOfPool(OnnxCall* call) { SetOnnxPool(false, call); }

void ShapeOfMaxPool(OnnxCall* call) {
  SetOnnxPool(false, call);
  const optional<OnnxDims> dims = call->outputs()[0].dims;
  if (dims) call->Set(1, kOnnxInt64, *dims);
}

void ShapeOfGlobalPool(OnnxCall* call) { SetOnnxGlobalPool(false, call); }

void ShapeOfMaxUnpool(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr || input->size() < 3) return;
  if (call->HasInput(2)) {
    const optional<std::vector<int64_t>> given = call->Integers(2);
    if (given) call->SetDims(0, OnnxDims(given->begin(), given->end()));
    return;
  }
  const size_t rank = input->size() - 2;
  const optional<OnnxWindow> window = ReadWindow(*call, rank, nullptr);
  if (!window) return;
  OnnxDims dims = *input;
  for (size_t i = 0; i < rank; ++i) {
    dims[2 + i] = TransposedExtent(*window, i, (*input)[2 + i], 0);
  }
  call->SetDims(0, std::move(dims));
}

// Sets the shape of the result of pooling over regions. The second input
// contains the boxes of the regions.
void SetRegions(int64_t height, int64_t width, OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->DimsOfRank(0, 4);
  const OnnxDims* const regions = call->Dims(1);
  const bool has_count = regions != nullptr && !regions->empty();
  call->SetDims(0, {has_count ? (*regions)[0] : kOnnxOpen,
                    input != nullptr ? (*input)[1] : kOnnxOpen, height, width});
}

void ShapeOfMaxRoiPool(OnnxCall* call) {
  const std::vector<int64_t> pooled =
      call->Ints("pooled_shape").value_or(std::vector<int64_t>());
  if (pooled.size() == 2) SetRegions(pooled[0], pooled[1], call);
}

void ShapeOfRoiAlign(OnnxCall* call) {
  SetRegions(call->Int("output_height", 1), call->Int("output_width", 1), call);
}

// Sets the shape of an image that is assembled from blocks of columns.
void ShapeOfCol2Im(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->DimsOfRank(0, 3);
  const optional<std::vector<int64_t>> image = call->Integers(1);
  const optional<std::vector<int64_t>> block = call->Integers(2);
  if (input == nullptr || !image || !block) return;
  OnnxDims product(block->begin(), block->end());
  const optional<int64_t> elements = OnnxElementCount(product);
  OnnxDims dims = {(*input)[0], kOnnxOpen};
  if (elements && *elements > 0 && (*input)[1] != kOnnxOpen) {
    dims[1] = (*input)[1] / *elements;
  }
  dims.insert(dims.end(), image->begin(), image->end());
  call->SetDims(0, std::move(dims));
}

constexpr OnnxShapeRow kWindowShapes[] = {
    {"AveragePool", ShapeOfPool},
    {"Col2Im", ShapeOfCol2Im},
    {"Conv", ShapeOfConv},
    {"ConvInteger", ShapeOfConvInteger},
    {"ConvTranspose", ShapeOfConvTranspose},
    {"DeformConv", ShapeOfConv},
    {"GlobalAveragePool", ShapeOfGlobalPool},
    {"GlobalLpPool", ShapeOfGlobalPool},
    {"GlobalMaxPool", ShapeOfGlobalPool},
    {"LpPool", ShapeOfPool},
    {"MaxPool", ShapeOfMaxPool},
    {"MaxRoiPool", ShapeOfMaxRoiPool},
    {"MaxUnpool", ShapeOfMaxUnpool},
    {"QLinearConv", ShapeOfQLinearConv},
    {"RoiAlign", ShapeOfRoiAlign},
};

}  // namespace

void ShapeOfConv(OnnxCall* call) {
  SetOnnxConv(call->Dims(1), call->Element(0), call);
}

void SetOnnxConv(const OnnxDims* weights, int32_t element, OnnxCall* call) {
  call->SetElement(0, element);
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr || input->size() < 3) return;
  if (weights != nullptr && weights->size() != input->size()) return;
  const size_t rank = input->size() - 2;
  OnnxDims dims = OpenOnnxDims(input->size());
  dims[0] = (*input)[0];
  dims[1] = weights != nullptr ? (*weights)[0] : kOnnxOpen;
  const optional<OnnxWindow> window = ReadWindow(*call, rank, weights);
  for (size_t i = 0; window && i < rank; ++i) {
    dims[2 + i] = PositionsOf(*window, i, (*input)[2 + i]);
  }
  call->SetDims(0, std::move(dims));
}

void SetOnnxPool(bool is_channels_last, OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr || input->size() < 3) return;
  const size_t rank = input->size() - 2;
  const size_t first = is_channels_last ? 1 : 2;
  const optional<OnnxWindow> window = ReadWindow(*call, rank, nullptr);
  OnnxDims dims = *input;
  for (size_t i = 0; i < rank; ++i) {
    dims[first + i] =
        window ? PoolPositionsOf(*call, *window, i, (*input)[first + i])
               : kOnnxOpen;
  }
  call->SetDims(0, std::move(dims));
}

void SetOnnxGlobalPool(bool is_channels_last, OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr || input->size() < 2) return;
  OnnxDims dims = *input;
  const size_t first = is_channels_last ? 1 : 2;
  for (size_t i = 0; i + 2 < dims.size(); ++i) dims[first + i] = 1;
  call->SetDims(0, std::move(dims));
}

Span<const OnnxShapeRow> OnnxWindowShapes() { return kWindowShapes; }

}  // namespace stowage::recordings
