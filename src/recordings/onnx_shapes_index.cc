// SPDX-License-Identifier: Apache-2.0
// Infers the shapes of operators that slice, gather, scatter and search.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "src/recordings/onnx_call.h"
#include "src/recordings/onnx_shapes.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::recordings {
namespace {

// The starts, ends or steps of a slice, some of which may be unknown.
using MaybeNumbers = std::vector<optional<int64_t>>;

optional<MaybeNumbers> SliceNumbers(const OnnxCall& call, const char* name,
                                    size_t input) {
  MaybeNumbers numbers;
  if (const auto given = call.Ints(name); given) {
    numbers.assign(given->begin(), given->end());
    return numbers;
  }
  const OnnxData* const data = call.Data(input);
  if (data == nullptr) return nullopt;
  for (const OnnxNumber& number : *data) {
    const bool is_known = number.kind == OnnxNumber::Kind::kInteger;
    numbers.push_back(is_known ? optional<int64_t>(number.integer) : nullopt);
  }
  return numbers;
}

// Returns the axes of a slice with the given number of starts, or nothing if
// the axes are unknown.
optional<std::vector<int64_t>> SliceAxes(const OnnxCall& call, size_t starts) {
  if (auto given = call.Ints("axes"); given) return given;
  if (call.HasInput(3)) return call.Integers(3);
  std::vector<int64_t> axes(starts);
  std::iota(axes.begin(), axes.end(), int64_t{0});
  return axes;
}

void ShapeOfSlice(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  const optional<MaybeNumbers> starts = SliceNumbers(*call, "starts", 1);
  const optional<MaybeNumbers> ends = SliceNumbers(*call, "ends", 2);
  // The number of starts is the number of sliced axes, even if the starts
  // themselves are unknown. An unknown start leaves only its own axis open.
  const OnnxDims* const count = call->DimsOfRank(1, 1);
  const size_t known = starts ? starts->size()
                       : count != nullptr && (*count)[0] >= 0
                           ? static_cast<size_t>((*count)[0])
                           : input->size();
  const optional<std::vector<int64_t>> axes =
      SliceAxes(*call, std::min(known, input->size()));
  if (!axes) return call->SetDims(0, OpenOnnxDims(input->size()));
  optional<MaybeNumbers> steps = MaybeNumbers(axes->size(), int64_t{1});
  if (call->HasInput(4)) steps = SliceNumbers(*call, "steps", 4);
  OnnxDims dims = *input;
  for (size_t i = 0; i < axes->size(); ++i) {
    const optional<size_t> axis = OnnxAxis((*axes)[i], input->size());
    if (!axis) return;
    const bool is_known = starts && ends && steps && i < starts->size() &&
                          i < ends->size() && i < steps->size() &&
                          (*starts)[i] && (*ends)[i] && (*steps)[i];
    dims[*axis] = kOnnxOpen;
    if (!is_known) continue;
    const optional<OnnxSlice> slice = SliceOnnxExtent(
        (*input)[*axis], *(*starts)[i], *(*ends)[i], *(*steps)[i]);
    if (slice) dims[*axis] = slice->count;
  }
  call->SetDims(0, std::move(dims));
}

void ShapeOfGather(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  const OnnxDims* const indices = call->Dims(1);
  if (input == nullptr || indices == nullptr) return;
  const optional<size_t> axis = OnnxAxis(call->Int("axis", 0), input->size());
  if (!axis) return;
  OnnxDims dims(input->begin(), input->begin() + static_cast<ptrdiff_t>(*axis));
  dims.insert(dims.end(), indices->begin(), indices->end());
  dims.insert(dims.end(), input->begin() + static_cast<ptrdiff_t>(*axis) + 1,
              input->end());
  call->SetDims(0, std::move(dims));
}

void ShapeOfGatherElements(OnnxCall* call) {
  call->SetLike(0, 1, call->Element(0));
}

void ShapeOfGatherNd(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  const OnnxDims* const indices = call->Dims(1);
  if (input == nullptr || indices == nullptr || indices->empty()) return;
  const int64_t last = indices->back();
  const int64_t skipped = call->Int("batch_dims", 0);
  const auto rank = static_cast<int64_t>(input->size());
  if (last == kOnnxOpen || skipped < 0 || skipped > rank ||
      last > rank - skipped) {
    return;
  }
  OnnxDims dims(indices->begin(), indices->end() - 1);
  dims.insert(dims.end(), input->begin() + skipped + last, input->end());
  call->SetDims(0, std::move(dims));
}

void ShapeOfTopK(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  call->SetElement(1, kOnnxInt64);
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  const optional<size_t> axis = OnnxAxis(call->Int("axis", -1), input->size());
  if (!axis) return;
  OnnxDims dims = *input;
  dims[*axis] = call->HasAttribute("k") ? call->Int("k", kOnnxOpen)
                                        : call->Integer(1).value_or(kOnnxOpen);
  call->SetDims(0, dims);
  call->SetDims(1, std::move(dims));
}

void ShapeOfNonZero(OnnxCall* call) {
  call->SetElement(0, kOnnxInt64);
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  int64_t count = kOnnxOpen;
  if (const OnnxData* const data = call->Data(0); data != nullptr) {
    count = 0;
    for (const OnnxNumber& number : *data) {
      if (number.kind == OnnxNumber::Kind::kUnknown) {
        count = kOnnxOpen;
        break;
      }
      count += number.integer != 0 || number.real != 0 ? 1 : 0;
    }
  }
  call->SetDims(0, {static_cast<int64_t>(input->size()), count});
  if (count == kOnnxOpen) call->SetCounted(0, 1);
}

// Sets the shapes of the outputs of Unique, which finds the distinct elements
// of a tensor, or its distinct slices along an axis.
void ShapeOfUnique(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  for (size_t i = 1; i < 4; ++i) call->Set(i, kOnnxInt64, {kOnnxOpen});
  call->SetCounted(1, 0);
  call->SetCounted(3, 0);
  const OnnxDims* const input = call->Dims(0);
  if (!call->HasAttribute("axis")) {
    call->SetDims(0, {kOnnxOpen});
    call->SetCounted(0, 0);
    const optional<int64_t> all =
        input != nullptr ? OnnxElementCount(*input) : optional<int64_t>();
    if (all) call->SetDims(2, {*all});
    return;
  }
  if (input == nullptr) return;
  const optional<size_t> axis = OnnxAxis(call->Int("axis", 0), input->size());
  if (!axis) return;
  OnnxDims dims = *input;
  call->SetDims(2, {dims[*axis]});
  dims[*axis] = kOnnxOpen;
  call->SetDims(0, std::move(dims));
  call->SetCounted(0, *axis);
}

void ShapeOfCompress(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  OnnxDims dims = {kOnnxOpen};
  optional<size_t> axis = size_t{0};
  if (call->HasAttribute("axis")) {
    const OnnxDims* const input = call->Dims(0);
    if (input == nullptr) return;
    axis = OnnxAxis(call->Int("axis", 0), input->size());
    if (!axis) return;
    dims = *input;
  }
  dims[*axis] = kOnnxOpen;
  const optional<std::vector<int64_t>> condition = call->Integers(1);
  if (condition) {
    dims[*axis] = std::count_if(condition->begin(), condition->end(),
                                [](int64_t each) { return each != 0; });
  } else {
    call->SetCounted(0, *axis);
  }
  call->SetDims(0, std::move(dims));
}

void ShapeOfNonMaxSuppression(OnnxCall* call) {
  call->Set(0, kOnnxInt64, {kOnnxOpen, 3});
  call->SetCounted(0, 0);
}

void ShapeOfOneHot(OnnxCall* call) {
  call->SetElement(0, call->Element(2));
  const OnnxDims* const indices = call->Dims(0);
  if (indices == nullptr) return;
  const optional<size_t> axis =
      OnnxAxis(call->Int("axis", -1), indices->size() + 1);
  if (!axis) return;
  OnnxDims dims = *indices;
  int64_t depth = call->Integer(1).value_or(kOnnxOpen);
  if (const OnnxData* const data = call->Data(1);
      data != nullptr && data->size() == 1 &&
      (*data)[0].kind == OnnxNumber::Kind::kReal && (*data)[0].real >= 0 &&
      (*data)[0].real < 1e15) {
    depth = static_cast<int64_t>((*data)[0].real);
  }
  dims.insert(dims.begin() + static_cast<ptrdiff_t>(*axis), depth);
  call->SetDims(0, std::move(dims));
}

constexpr OnnxShapeRow kIndexShapes[] = {
    {"Compress", ShapeOfCompress},
    {"Gather", ShapeOfGather},
    {"GatherElements", ShapeOfGatherElements},
    {"GatherND", ShapeOfGatherNd},
    {"NonMaxSuppression", ShapeOfNonMaxSuppression},
    {"NonZero", ShapeOfNonZero},
    {"OneHot", ShapeOfOneHot},
    {"ReverseSequence", ShapeOfSameAsInput},
    {"Scatter", ShapeOfSameAsInput},
    {"ScatterElements", ShapeOfSameAsInput},
    {"ScatterND", ShapeOfSameAsInput},
    {"Slice", ShapeOfSlice},
    {"TensorScatter", ShapeOfSameAsInput},
    {"TopK", ShapeOfTopK},
    {"Trilu", ShapeOfSameAsInput},
    {"Unique", ShapeOfUnique},
};

}  // namespace

optional<OnnxSlice> SliceOnnxExtent(int64_t extent, int64_t start, int64_t end,
                                    int64_t step) {
  if (extent == kOnnxOpen || step == 0 ||
      step == std::numeric_limits<int64_t>::min()) {
    return nullopt;
  }
  if (start < 0) start += extent;
  if (end < 0) end += extent;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, extent);
    end = std::clamp<int64_t>(end, 0, extent);
    if (end <= start) return OnnxSlice{start, step, 0};
    return OnnxSlice{start, step, (end - start - 1) / step + 1};
  }
  if (extent == 0) return OnnxSlice{0, step, 0};
  start = std::clamp<int64_t>(start, 0, extent - 1);
  end = std::clamp<int64_t>(end, -1, extent - 1);
  if (start <= end) return OnnxSlice{start, step, 0};
  return OnnxSlice{start, step, (start - end - 1) / -step + 1};
}

Span<const OnnxShapeRow> OnnxIndexShapes() { return kIndexShapes; }

}  // namespace stowage::recordings
