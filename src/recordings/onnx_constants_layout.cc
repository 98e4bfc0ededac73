// SPDX-License-Identifier: Apache-2.0
// Computes the contents of tensors that contain the elements of other tensors
// in a different order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "src/recordings/onnx_call.h"
#include "src/recordings/onnx_constants.h"
#include "src/recordings/onnx_shapes.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

using OnnxIndex = std::vector<int64_t>;

// Returns the distance between adjacent elements along each dimension.
OnnxIndex OnnxStrides(const OnnxDims& dims) {
  OnnxIndex strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * dims[i];
  }
  return strides;
}

// Fills the output with elements of the first input. `origin` is the position
// of the first of these elements in the input. `steps` has, for each dimension
// of the output, the distance between adjacent elements in the input. Elements
// at positions outside of the input are unknown.
void TakeStrided(const OnnxData& from, int64_t origin, const OnnxIndex& steps,
                 OnnxCall* call) {
  const OnnxDims& dims = *call->outputs()[0].dims;
  const auto count = static_cast<size_t>(*OnnxElementCount(dims));
  OnnxData data;
  data.reserve(count);
  OnnxIndex index(dims.size(), 0);
  int64_t at = origin;
  for (size_t k = 0; k < count; ++k) {
    const bool is_inside = at >= 0 && at < static_cast<int64_t>(from.size());
    data.push_back(is_inside ? from[static_cast<size_t>(at)] : OnnxNumber());
    for (size_t d = dims.size(); d-- > 0;) {
      at += steps[d];
      if (++index[d] < dims[d]) break;
      at -= steps[d] * dims[d];
      index[d] = 0;
    }
  }
  call->SetData(std::move(data));
}

void CopyData(OnnxCall* call) {
  const OnnxData& from = *call->Data(0);
  const optional<int64_t> count = OnnxElementCount(*call->outputs()[0].dims);
  if (static_cast<int64_t>(from.size()) == *count) call->SetData(from);
}

void TransposeData(OnnxCall* call) {
  const OnnxIndex strides = OnnxStrides(*call->Dims(0));
  const optional<std::vector<int64_t>> order = call->Ints("perm");
  OnnxIndex steps(strides.rbegin(), strides.rend());
  if (order && !order->empty()) {
    for (size_t i = 0; i < steps.size(); ++i) {
      steps[i] = strides[*OnnxAxis((*order)[i], strides.size())];
    }
  }
  TakeStrided(*call->Data(0), 0, steps, call);
}

void ExpandData(OnnxCall* call) {
  const OnnxDims& input = *call->Dims(0);
  const OnnxIndex strides = OnnxStrides(input);
  const size_t rank = call->outputs()[0].dims->size();
  OnnxIndex steps(rank, 0);
  for (size_t i = 0; i < input.size(); ++i) {
    if (input[i] != 1) steps[rank - input.size() + i] = strides[i];
  }
  TakeStrided(*call->Data(0), 0, steps, call);
}

void SliceData(OnnxCall* call) {
  const OnnxDims& input = *call->Dims(0);
  const auto numbers = [call](const char* name, size_t at) {
    optional<std::vector<int64_t>> list = call->Ints(name);
    return list || !call->HasInput(at) ? std::move(list) : call->Integers(at);
  };
  const optional<std::vector<int64_t>> starts = numbers("starts", 1);
  const optional<std::vector<int64_t>> ends = numbers("ends", 2);
  const optional<std::vector<int64_t>> axes = numbers("axes", 3);
  const optional<std::vector<int64_t>> strides = numbers("steps", 4);
  if (!starts || !ends || starts->size() != ends->size()) return;
  OnnxIndex steps = OnnxStrides(input);
  int64_t origin = 0;
  for (size_t i = 0; i < starts->size(); ++i) {
    const int64_t each =
        axes ? (i < axes->size() ? (*axes)[i] : 0) : static_cast<int64_t>(i);
    const optional<size_t> axis = OnnxAxis(each, input.size());
    const int64_t step =
        strides && i < strides->size() ? (*strides)[i] : int64_t{1};
    if (!axis) return;
    const optional<OnnxSlice> slice =
        SliceOnnxExtent(input[*axis], (*starts)[i], (*ends)[i], step);
    if (!slice) return;
    origin += slice->first * steps[*axis];
    // A slice of at most one element needs no steps. Its step may be larger
    // than the tensor, so it is replaced with 0.
    steps[*axis] *= slice->count > 1 ? slice->step : 0;
  }
  TakeStrided(*call->Data(0), origin, steps, call);
}

void GatherData(OnnxCall* call) {
  const OnnxDims& input = *call->Dims(0);
  const OnnxData& from = *call->Data(0);
  const OnnxData* const indices = call->Data(1);
  const optional<size_t> axis = OnnxAxis(call->Int("axis", 0), input.size());
  if (indices == nullptr || !axis) return;
  int64_t inner = 1;
  for (size_t i = *axis + 1; i < input.size(); ++i) inner *= input[i];
  int64_t outer = 1;
  for (size_t i = 0; i < *axis; ++i) outer *= input[i];
  const int64_t extent = input[*axis];
  OnnxData data;
  for (int64_t o = 0; o < outer; ++o) {
    for (const OnnxNumber& index : *indices) {
      int64_t at = index.integer < 0 ? index.integer + extent : index.integer;
      const bool is_known =
          index.kind == OnnxNumber::Kind::kInteger && at >= 0 && at < extent;
      for (int64_t i = 0; i < inner; ++i) {
        const int64_t from_at = (o * extent + at) * inner + i;
        data.push_back(is_known ? from[static_cast<size_t>(from_at)]
                                : OnnxNumber());
      }
    }
  }
  call->SetData(std::move(data));
}

void ConcatData(OnnxCall* call) {
  const OnnxDims& dims = *call->outputs()[0].dims;
  const optional<size_t> axis = OnnxAxis(call->Int("axis", 1), dims.size());
  if (!axis) return;
  int64_t outer = 1;
  for (size_t i = 0; i < *axis; ++i) outer *= dims[i];
  OnnxData data;
  for (int64_t o = 0; o < outer; ++o) {
    for (size_t i = 0; i < call->input_count(); ++i) {
      const OnnxDims* const input = call->Dims(i);
      const optional<int64_t> count = OnnxElementCount(*input);
      if (!count) return;
      const auto part = static_cast<size_t>(*count / outer);
      const OnnxData* const from = call->Data(i);
      if (from == nullptr) {
        data.resize(data.size() + part);
        continue;
      }
      const auto begin =
          from->begin() + static_cast<ptrdiff_t>(part * static_cast<size_t>(o));
      data.insert(data.end(), begin, begin + static_cast<ptrdiff_t>(part));
    }
  }
  call->SetData(std::move(data));
}

// Sets the contents of the first part of a split, which is a slice from the
// beginning.
void SplitData(OnnxCall* call) {
  TakeStrided(*call->Data(0), 0, OnnxStrides(*call->Dims(0)), call);
}

void TileData(OnnxCall* call) {
  const OnnxDims& input = *call->Dims(0);
  const OnnxDims& dims = *call->outputs()[0].dims;
  const OnnxData& from = *call->Data(0);
  const OnnxIndex strides = OnnxStrides(input);
  const OnnxIndex all = OnnxStrides(dims);
  const auto count = static_cast<int64_t>(*OnnxElementCount(dims));
  OnnxData data;
  for (int64_t k = 0; k < count; ++k) {
    int64_t at = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      at += k / all[d] % dims[d] % input[d] * strides[d];
    }
    data.push_back(from[static_cast<size_t>(at)]);
  }
  call->SetData(std::move(data));
}

using OnnxDataFunction = void (*)(OnnxCall* call);

const absl::flat_hash_map<string_view, OnnxDataFunction>& MovingFunctions() {
  static const auto* const table =
      new absl::flat_hash_map<string_view, OnnxDataFunction>{
          {"Concat", ConcatData},  {"Dropout", CopyData},
          {"Expand", ExpandData},  {"Flatten", CopyData},
          {"Gather", GatherData},  {"Identity", CopyData},
          {"Reshape", CopyData},   {"Slice", SliceData},
          {"Split", SplitData},    {"Squeeze", CopyData},
          {"Tile", TileData},      {"Transpose", TransposeData},
          {"Unsqueeze", CopyData},
      };
  return *table;
}

// Returns whether all extents of an input are known.
bool IsComplete(const OnnxCall& call, size_t input) {
  const OnnxDims* const dims = call.Dims(input);
  return dims != nullptr && OnnxElementCount(*dims).has_value();
}

}  // namespace

bool MoveOnnxData(OnnxCall* call) {
  const auto found = MovingFunctions().find(call->node().op);
  if (found == MovingFunctions().end()) return false;
  const bool is_joined = call->node().op == "Concat";
  bool is_ready = is_joined || call->Data(0) != nullptr;
  for (size_t i = 0; i < (is_joined ? call->input_count() : 1); ++i) {
    is_ready = is_ready && IsComplete(*call, i);
  }
  if (is_ready) found->second(call);
  return true;
}

}  // namespace stowage::recordings
