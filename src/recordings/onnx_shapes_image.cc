// SPDX-License-Identifier: Apache-2.0
// Infers the shapes of operators that resize, pad and rearrange images.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
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

// Returns an extent times a factor, computed in the same precision as in
// runtimes.
int64_t ScaledExtent(int64_t extent, float scale) {
  if (extent == kOnnxOpen || !(scale > 0)) return kOnnxOpen;
  const float scaled = std::floor(static_cast<float>(extent) * scale);
  return scaled < 9e18F ? static_cast<int64_t>(scaled) : kOnnxOpen;
}

// Returns the real numbers of an input. Unknown numbers become 0.
optional<std::vector<float>> RealsOf(const OnnxCall& call, size_t input) {
  const OnnxData* const data = call.Data(input);
  if (data == nullptr) return nullopt;
  std::vector<float> reals;
  for (const OnnxNumber& number : *data) {
    const bool is_real = number.kind == OnnxNumber::Kind::kReal;
    reals.push_back(is_real ? static_cast<float>(number.real) : 0.0F);
  }
  return reals;
}

// Returns the axes to which the scales and sizes apply: the axes in an
// attribute, or all axes if the node does not have that attribute. Returns
// nothing if the attribute names an axis that the tensor does not have.
optional<std::vector<size_t>> AxesOf(const OnnxCall& call, size_t rank) {
  std::vector<size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), size_t{0});
  const optional<std::vector<int64_t>> given = call.Ints("axes");
  if (!given) return axes;
  axes.clear();
  for (const int64_t each : *given) {
    const optional<size_t> axis = OnnxAxis(each, rank);
    if (!axis) return nullopt;
    axes.push_back(*axis);
  }
  return axes;
}

// Scales the extents. If `regions` has a value, only a part of the image is
// resized. In that case, `regions` has the beginnings of the part along all
// axes, followed by its ends along all axes, as fractions of the extents.
void ScaleBy(const std::vector<float>& scales, const std::vector<size_t>& axes,
             const optional<std::vector<float>>& regions, OnnxDims* dims) {
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t& extent = (*dims)[axes[i]];
    float scale = scales[i];
    if (regions && regions->size() == 2 * axes.size()) {
      scale *= (*regions)[axes.size() + i] - (*regions)[i];
    }
    extent = ScaledExtent(extent, scale);
  }
}

// Fits an image into given sizes without changing its aspect ratio.
void FitInto(const std::vector<int64_t>& sizes, const std::vector<size_t>& axes,
             bool is_larger, OnnxDims* dims) {
  optional<float> scale;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t extent = (*dims)[axes[i]];
    if (extent <= 0) {
      for (const size_t axis : axes) (*dims)[axis] = kOnnxOpen;
      return;
    }
    const float each =
        static_cast<float>(sizes[i]) / static_cast<float>(extent);
    const bool is_better =
        !scale || (is_larger ? each > *scale : each < *scale);
    if (is_better) scale = each;
  }
  for (const size_t axis : axes) {
    int64_t& extent = (*dims)[axis];
    const float scaled = std::round(*scale * static_cast<float>(extent));
    extent = scaled < 9e18F ? static_cast<int64_t>(scaled) : kOnnxOpen;
  }
}

void SetSizes(size_t input, const std::vector<size_t>& axes, OnnxDims* dims,
              const OnnxCall& call) {
  const OnnxData& data = *call.Data(input);
  const string_view policy = call.Text("keep_aspect_ratio_policy");
  if (policy == "not_larger" || policy == "not_smaller") {
    const optional<std::vector<int64_t>> sizes = call.Integers(input);
    if (sizes) {
      FitInto(*sizes, axes, policy == "not_smaller", dims);
      return;
    }
    for (const size_t axis : axes) (*dims)[axis] = kOnnxOpen;
    return;
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    (*dims)[axes[i]] = data[i].kind == OnnxNumber::Kind::kInteger
                           ? data[i].integer
                           : kOnnxOpen;
  }
}

void ShapeOfResize(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  const optional<std::vector<size_t>> axes = AxesOf(*call, input->size());
  if (!axes) return;
  OnnxDims dims = *input;
  const size_t scales_at = call->opset() < 11 ? 1 : 2;
  const OnnxData* const sizes = call->Data(3);
  const optional<std::vector<float>> scales = RealsOf(*call, scales_at);
  if (sizes != nullptr && sizes->size() == axes->size()) {
    SetSizes(3, *axes, &dims, *call);
  } else if (scales && scales->size() == axes->size()) {
    optional<std::vector<float>> regions;
    const bool is_cropped =
        call->Text("coordinate_transformation_mode") == "tf_crop_and_resize";
    if (is_cropped) {
      regions = RealsOf(*call, 1).value_or(std::vector<float>());
      // If the regions are unknown, use zeros. The scale is then 0, so all
      // extents remain open.
      if (regions->size() != 2 * axes->size()) {
        regions->assign(2 * axes->size(), 0.0F);
      }
    }
    ScaleBy(*scales, *axes, regions, &dims);
  } else {
    for (const size_t axis : *axes) dims[axis] = kOnnxOpen;
  }
  call->SetDims(0, std::move(dims));
}

void ShapeOfUpsample(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  optional<std::vector<float>> scales = call->Floats("scales");
  if (call->HasAttribute("height_scale") && input->size() == 4) {
    scales = {1.0F, 1.0F, call->Float("height_scale").value_or(0.0F),
              call->Float("width_scale").value_or(0.0F)};
  }
  if (!scales) scales = RealsOf(*call, 1);
  OnnxDims dims = OpenOnnxDims(input->size());
  for (size_t i = 0; scales && scales->size() == dims.size() && i < dims.size();
       ++i) {
    dims[i] = ScaledExtent((*input)[i], (*scales)[i]);
  }
  call->SetDims(0, std::move(dims));
}

// Returns the numbers of elements that Pad adds at the beginning of each axis,
// followed by the numbers of elements that it adds at the end of each axis.
// Returns nothing if the numbers are unknown.
optional<std::vector<int64_t>> PadsOf(const OnnxCall& call) {
  if (call.opset() >= 11) return call.Integers(1);
  optional<std::vector<int64_t>> pads = call.Ints("pads");
  return pads ? pads : call.Ints("paddings");
}

void ShapeOfPad(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  std::vector<int64_t> axes(input->size());
  std::iota(axes.begin(), axes.end(), int64_t{0});
  if (call->HasInput(3)) {
    const optional<std::vector<int64_t>> given = call->Integers(3);
    if (!given) return call->SetDims(0, OpenOnnxDims(input->size()));
    axes = *given;
  }
  const optional<std::vector<int64_t>> pads = PadsOf(*call);
  if (!pads || pads->size() != 2 * axes.size()) {
    return call->SetDims(0, OpenOnnxDims(input->size()));
  }
  OnnxDims dims = *input;
  for (size_t i = 0; i < axes.size(); ++i) {
    const optional<size_t> axis = OnnxAxis(axes[i], dims.size());
    int64_t both = 0;
    if (!axis ||
        __builtin_add_overflow((*pads)[i], (*pads)[axes.size() + i], &both)) {
      return;
    }
    dims[*axis] = ShiftOnnxExtent(dims[*axis], both);
  }
  call->SetDims(0, std::move(dims));
}

void ShapeOfCenterCropPad(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  const optional<std::vector<size_t>> axes = AxesOf(*call, input->size());
  const OnnxData* const sizes = call->Data(1);
  if (!axes) return;
  OnnxDims dims = *input;
  for (size_t i = 0; i < axes->size(); ++i) {
    const bool is_known = sizes != nullptr && sizes->size() == axes->size() &&
                          (*sizes)[i].kind == OnnxNumber::Kind::kInteger;
    dims[(*axes)[i]] = is_known ? (*sizes)[i].integer : kOnnxOpen;
  }
  call->SetDims(0, std::move(dims));
}

// Returns an extent divided by a number. The quotient is open if the number
// does not divide the extent.
int64_t DividedExtent(int64_t extent, int64_t by) {
  if (extent == kOnnxOpen || by <= 0 || extent % by != 0) return kOnnxOpen;
  return extent / by;
}

void ShapeOfDepthToSpace(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->DimsOfRank(0, 4);
  const int64_t block = call->Int("blocksize", 0);
  if (input == nullptr || block <= 0 || block > (1 << 20)) return;
  call->SetDims(0, {(*input)[0], DividedExtent((*input)[1], block * block),
                    MultiplyOnnxExtents((*input)[2], block),
                    MultiplyOnnxExtents((*input)[3], block)});
}

void ShapeOfSpaceToDepth(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->DimsOfRank(0, 4);
  const int64_t block = call->Int("blocksize", 0);
  if (input == nullptr || block <= 0 || block > (1 << 20)) return;
  call->SetDims(
      0,
      {(*input)[0], MultiplyOnnxExtents((*input)[1], block * block),
       DividedExtent((*input)[2], block), DividedExtent((*input)[3], block)});
}

// Sets the shape of an image that is sampled at the points of a grid, which is
// the second input.
void ShapeOfGridSample(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  const OnnxDims* const grid = call->Dims(1);
  if (input == nullptr || grid == nullptr || input->size() < 3 ||
      grid->size() != input->size()) {
    return;
  }
  OnnxDims dims = *input;
  std::copy(grid->begin() + 1, grid->end() - 1, dims.begin() + 2);
  call->SetDims(0, std::move(dims));
}

// Sets the shape of a grid of points. The second input contains N, C and the
// spatial extents.
void ShapeOfAffineGrid(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const optional<std::vector<int64_t>> sizes = call->Integers(1);
  if (!sizes || sizes->size() < 4) return;
  OnnxDims dims = {(*sizes)[0]};
  dims.insert(dims.end(), sizes->begin() + 2, sizes->end());
  dims.push_back(static_cast<int64_t>(sizes->size() - 2));
  call->SetDims(0, std::move(dims));
}

constexpr OnnxShapeRow kImageShapes[] = {
    {"AffineGrid", ShapeOfAffineGrid},
    {"CenterCropPad", ShapeOfCenterCropPad},
    {"DepthToSpace", ShapeOfDepthToSpace},
    {"GridSample", ShapeOfGridSample},
    {"Pad", ShapeOfPad},
    {"Resize", ShapeOfResize},
    {"SpaceToDepth", ShapeOfSpaceToDepth},
    {"Upsample", ShapeOfUpsample},
};

}  // namespace

Span<const OnnxShapeRow> OnnxImageShapes() { return kImageShapes; }

}  // namespace stowage::recordings
