// SPDX-License-Identifier: Apache-2.0
// Infers the shapes of operators that reshape, concatenate and split tensors.
#include <algorithm>
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

namespace stowage::recordings {
namespace {

// Returns a list of numbers that is an attribute in older versions and an input
// in newer versions. Returns nothing if the numbers are unknown, and an empty
// list if the node has no such list.
optional<std::vector<int64_t>> ListOf(const OnnxCall& call, const char* name,
                                      size_t input) {
  if (call.HasAttribute(name)) return call.Ints(name);
  if (!call.HasInput(input)) return std::vector<int64_t>();
  return call.Integers(input);
}

// Returns the product of the extents in a range, or an open extent if the
// product is unknown.
int64_t ProductOf(OnnxDims::const_iterator first,
                  OnnxDims::const_iterator last) {
  return std::accumulate(first, last, int64_t{1}, MultiplyOnnxExtents);
}

// Computes dimension `rest` of the result from the number of elements. Requires
// that the target extent of this dimension is -1 or unknown.
void ResolveReshape(const OnnxDims& input, const std::vector<bool>& is_copied,
                    size_t rest, OnnxDims* dims) {
  // Copied extents are factors of both `before` and `after`, so they are
  // omitted from both products and need not be known.
  int64_t before = 1;
  for (size_t i = 0; i < input.size(); ++i) {
    if (i < is_copied.size() && is_copied[i]) continue;
    before = MultiplyOnnxExtents(before, input[i]);
  }
  int64_t after = 1;
  for (size_t i = 0; i < dims->size(); ++i) {
    if (i == rest || is_copied[i]) continue;
    after = MultiplyOnnxExtents(after, (*dims)[i]);
  }
  const bool is_known = before != kOnnxOpen && after > 0 && before % after == 0;
  (*dims)[rest] = is_known ? before / after : kOnnxOpen;
}

void SetReshape(const OnnxData& target, OnnxCall* call) {
  const OnnxDims* const input = call->Dims(0);
  const bool allows_zero = call->Int("allowzero", 0) != 0;
  OnnxDims dims;
  std::vector<bool> is_copied(target.size());
  optional<size_t> rest;
  bool is_open = false;
  for (size_t i = 0; i < target.size(); ++i) {
    const bool is_known = target[i].kind == OnnxNumber::Kind::kInteger;
    int64_t extent = is_known ? target[i].integer : kOnnxOpen;
    is_open |= !is_known;
    if (is_known && extent == -1) rest = i;
    if (extent == 0 && !allows_zero) {
      is_copied[i] = true;
      extent = input != nullptr && i < input->size() ? (*input)[i] : kOnnxOpen;
    }
    if (extent < kOnnxOpen) return;
    dims.push_back(extent);
  }
  // If any other extent is unknown, the extent with the target -1 remains
  // unknown.
  if (input != nullptr && rest && !is_open) {
    ResolveReshape(*input, is_copied, *rest, &dims);
  }
  // If exactly one extent is unknown, the number of elements determines it.
  if (input != nullptr && !rest && is_open &&
      std::count(dims.begin(), dims.end(), kOnnxOpen) == 1) {
    const auto* const at = std::find(dims.begin(), dims.end(), kOnnxOpen);
    const auto index = static_cast<size_t>(at - dims.begin());
    if (!is_copied[index]) ResolveReshape(*input, is_copied, index, &dims);
  }
  call->SetDims(0, std::move(dims));
}

void ShapeOfReshape(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  if (const auto shape = call->Ints("shape"); shape) {
    OnnxData target;
    for (const int64_t each : *shape) {
      target.push_back(OnnxNumber::Integer(each));
    }
    SetReshape(target, call);
    return;
  }
  const OnnxData* const target = call->Data(1);
  if (target != nullptr) return SetReshape(*target, call);
  const OnnxDims* const rank = call->DimsOfRank(1, 1);
  if (rank != nullptr && (*rank)[0] >= 0 &&
      (*rank)[0] <= static_cast<int64_t>(kMaxOnnxRank)) {
    call->SetDims(0, OpenOnnxDims(static_cast<size_t>((*rank)[0])));
  }
}

void ShapeOfFlatten(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  const auto rank = static_cast<int64_t>(input->size());
  int64_t axis = call->Int("axis", 1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return;
  const auto* const middle = input->begin() + axis;
  call->SetDims(
      0, {ProductOf(input->begin(), middle), ProductOf(middle, input->end())});
}

void ShapeOfTranspose(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  OnnxDims dims(input->rbegin(), input->rend());
  if (const auto order = call->Ints("perm"); order && !order->empty()) {
    if (order->size() != input->size()) return;
    for (size_t i = 0; i < order->size(); ++i) {
      const optional<size_t> axis = OnnxAxis((*order)[i], input->size());
      if (!axis) return;
      dims[i] = (*input)[*axis];
    }
  }
  call->SetDims(0, std::move(dims));
}

void ShapeOfSqueeze(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  const optional<std::vector<int64_t>> axes = ListOf(*call, "axes", 1);
  if (input == nullptr || !axes) return;
  // If there are no axes, all dimensions of extent 1 are removed, so all
  // extents must be known.
  if (axes->empty() && !IsOnnxComplete(call->Input(0))) return;
  std::vector<bool> is_removed(input->size());
  for (const int64_t each : *axes) {
    const optional<size_t> axis = OnnxAxis(each, input->size());
    if (!axis) return;
    is_removed[*axis] = true;
  }
  OnnxDims dims;
  for (size_t i = 0; i < input->size(); ++i) {
    if (axes->empty() ? (*input)[i] != 1 : !is_removed[i]) {
      dims.push_back((*input)[i]);
    }
  }
  call->SetDims(0, std::move(dims));
}

void ShapeOfUnsqueeze(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  const optional<std::vector<int64_t>> axes = ListOf(*call, "axes", 1);
  if (input == nullptr || !axes || axes->size() > kMaxOnnxRank) return;
  std::vector<bool> is_added(input->size() + axes->size());
  for (const int64_t each : *axes) {
    const optional<size_t> axis = OnnxAxis(each, is_added.size());
    if (!axis || is_added[*axis]) return;
    is_added[*axis] = true;
  }
  OnnxDims dims;
  size_t next = 0;
  for (const bool is_one : is_added) {
    dims.push_back(is_one ? 1 : (*input)[next++]);
  }
  call->SetDims(0, std::move(dims));
}

// Sets the shape of tensors that are concatenated along an axis.
void ShapeOfConcat(OnnxCall* call) {
  OnnxDims dims;
  optional<size_t> axis;
  for (size_t i = 0; i < call->input_count(); ++i) {
    if (call->Element(i) != kOnnxUnknown) {
      call->SetElement(0, call->Element(i));
    }
  }
  for (size_t i = 0; i < call->input_count(); ++i) {
    const OnnxDims* const input = call->Dims(i);
    if (input == nullptr) return;
    if (i == 0) {
      dims = *input;
      axis = OnnxAxis(call->Int("axis", 1), dims.size());
      if (!axis) return;
      continue;
    }
    if (input->size() != dims.size()) return;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (d == *axis) {
        dims[d] = AddOnnxExtents(dims[d], (*input)[d]);
      } else if (dims[d] == kOnnxOpen) {
        dims[d] = (*input)[d];
      } else if ((*input)[d] != kOnnxOpen && (*input)[d] != dims[d]) {
        return;
      }
    }
  }
  if (axis) call->SetDims(0, std::move(dims));
}

void ShapeOfSplit(OnnxCall* call) {
  const size_t parts = call->output_count();
  for (size_t i = 0; i < parts; ++i) call->SetElement(i, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  const optional<size_t> axis = OnnxAxis(call->Int("axis", 0), input->size());
  if (!axis) return;
  const optional<std::vector<int64_t>> sizes = ListOf(*call, "split", 1);
  const int64_t extent = (*input)[*axis];
  const auto count = static_cast<int64_t>(parts);
  // From version 18 on, the last part may be smaller than the other parts.
  const bool is_even = extent != kOnnxOpen && count > 0 &&
                       (extent % count == 0 || call->opset() >= 18);
  const int64_t part = is_even ? (extent + count - 1) / count : kOnnxOpen;
  for (size_t i = 0; i < parts; ++i) {
    OnnxDims dims = *input;
    dims[*axis] = kOnnxOpen;
    if (sizes && !sizes->empty()) {
      if (sizes->size() != parts) return;
      dims[*axis] = (*sizes)[i];
    } else if (sizes && is_even) {
      const int64_t left = extent - static_cast<int64_t>(i) * part;
      dims[*axis] = std::clamp<int64_t>(left, 0, part);
    }
    call->SetDims(i, std::move(dims));
  }
}

void ShapeOfExpand(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  const OnnxData* const shape = call->Data(1);
  if (input == nullptr || shape == nullptr) return;
  OnnxDims target;
  for (const OnnxNumber& number : *shape) {
    const bool is_known = number.kind == OnnxNumber::Kind::kInteger;
    target.push_back(is_known ? number.integer : kOnnxOpen);
  }
  optional<OnnxDims> dims = BroadcastOnnxDims(*input, target);
  if (dims) call->SetDims(0, *std::move(dims));
}

void ShapeOfTile(OnnxCall* call) {
  call->SetElement(0, call->Element(0));
  const OnnxDims* const input = call->Dims(0);
  if (input == nullptr) return;
  OnnxDims dims = *input;
  if (call->opset() < 6) {
    // Input 1 is the number of tiles, and input 2 is the axis.
    const optional<int64_t> axis = call->Integer(2);
    const optional<size_t> at =
        axis ? OnnxAxis(*axis, dims.size()) : optional<size_t>();
    if (!at) return call->SetDims(0, OpenOnnxDims(dims.size()));
    dims[*at] =
        MultiplyOnnxExtents(dims[*at], call->Integer(1).value_or(kOnnxOpen));
    call->SetDims(0, std::move(dims));
    return;
  }
  const OnnxData* const repeats = call->Data(1);
  const bool is_known = repeats != nullptr && repeats->size() == dims.size();
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool is_integer =
        is_known && (*repeats)[i].kind == OnnxNumber::Kind::kInteger;
    dims[i] = is_integer ? MultiplyOnnxExtents(dims[i], (*repeats)[i].integer)
                         : kOnnxOpen;
  }
  call->SetDims(0, std::move(dims));
}

constexpr OnnxShapeRow kLayoutShapes[] = {
    {"Concat", ShapeOfConcat},       {"Expand", ShapeOfExpand},
    {"Flatten", ShapeOfFlatten},     {"Reshape", ShapeOfReshape},
    {"Split", ShapeOfSplit},         {"Squeeze", ShapeOfSqueeze},
    {"Tile", ShapeOfTile},           {"Transpose", ShapeOfTranspose},
    {"Unsqueeze", ShapeOfUnsqueeze},
};

}  // namespace

Span<const OnnxShapeRow> OnnxLayoutShapes() { return kLayoutShapes; }

}  // namespace stowage::recordings
