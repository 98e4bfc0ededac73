// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/box_copy.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/optional.h"
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

StridedLoop<2> LoopOver(const std::vector<BoxCopy::Axis>& axes) {
  std::vector<StridedLoop<2>::Axis> result;
  result.reserve(axes.size());
  for (const BoxCopy::Axis& axis : axes) {
    result.push_back({axis.extent, {axis.from, axis.to}});
  }
  return StridedLoop<2>(result);
}

}  // namespace

BoxCopy::BoxCopy(const std::vector<Axis>& axes, int64_t from_start,
                 int64_t to_start)
    : loop_(LoopOver(axes)), from_start_(from_start), to_start_(to_start) {}

void BoxCopy::Run(const void* from, void* to, size_t element_bytes) const {
  switch (element_bytes) {
    case 1:
      return RunWith<1>(from, to);
    case 2:
      return RunWith<2>(from, to);
    case 4:
      return RunWith<4>(from, to);
    case 8:
      return RunWith<8>(from, to);
    case 16:
      return RunWith<16>(from, to);
    default:
      return;
  }
}

template <size_t kBytes>
void BoxCopy::RunWith(const void* from, void* to) const {
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  const auto* const source = static_cast<const uint8_t*>(from);
  auto* const target = static_cast<uint8_t*>(to);
  const int64_t n = loop_.inner().extent;
  const int64_t from_step = loop_.inner().strides[0] * kStep;
  const int64_t to_step = loop_.inner().strides[1] * kStep;
  const bool is_run = from_step == kStep && to_step == kStep;
  loop_.ForEachRow({from_start_, to_start_},
                   [=](const StridedLoop<2>::Offsets& at) {
                     const uint8_t* x = source + at[0] * kStep;
                     uint8_t* y = target + at[1] * kStep;
                     if (is_run) {
                       std::memcpy(y, x, static_cast<size_t>(n) * kBytes);
                       return;
                     }
                     for (int64_t i = 0; i < n; ++i) {
                       std::memcpy(y + i * to_step, x + i * from_step, kBytes);
                     }
                   });
}

std::vector<BoxCopy::Axis> ZipAxes(const Shape& shape,
                                   const std::vector<int64_t>& from,
                                   const std::vector<int64_t>& to) {
  std::vector<BoxCopy::Axis> axes(shape.size());
  for (size_t d = 0; d < axes.size(); ++d) axes[d] = {shape[d], from[d], to[d]};
  return axes;
}

std::vector<BoxCopy> CopiesOfSlices(const Shape& shape, int axis,
                                    const std::vector<int64_t>& sizes,
                                    bool joins) {
  std::vector<BoxCopy> copies(sizes.size());
  if (absl::c_linear_search(shape, 0)) return copies;
  const int64_t outer = FlatSize(shape, 0, axis);
  const int64_t inner =
      FlatSize(shape, axis + 1, static_cast<int>(shape.size()));
  const int64_t row = shape[static_cast<size_t>(axis)] * inner;
  int64_t start = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t run = sizes[i] * inner;
    copies[i] = joins ? BoxCopy({{outer, run, row}, {run, 1, 1}}, 0, start)
                      : BoxCopy({{outer, row, run}, {run, 1, 1}}, start);
    start += run;
  }
  return copies;
}

std::vector<size_t> PlacesOfSlices(const Shape& shape, int axis,
                                   const std::vector<int64_t>& sizes,
                                   size_t element_bytes) {
  if (absl::c_linear_search(shape, 0) || FlatSize(shape, 0, axis) != 1) {
    return {};
  }
  const auto row = static_cast<size_t>(FlatSize(
                       shape, axis + 1, static_cast<int>(shape.size()))) *
                   element_bytes;
  std::vector<size_t> places;
  size_t at = 0;
  for (const int64_t size : sizes) {
    places.push_back(at);
    at += static_cast<size_t>(size) * row;
  }
  return places;
}

void BoxCopy::RunUnlessInPlace(const void* from, void* to,
                               size_t element_bytes) const {
  const auto first = [&](const void* data, int64_t start) {
    return static_cast<const uint8_t*>(data) +
           start * static_cast<int64_t>(element_bytes);
  };
  if (first(from, from_start_) == first(to, to_start_)) return;
  Run(from, to, element_bytes);
}

absl::optional<int64_t> BoxCopy::RunStart() const {
  if (!loop_.is_one_row() || to_start_ != 0) return absl::nullopt;
  const auto& row = loop_.inner();
  if (row.extent > 1 && (row.strides[0] != 1 || row.strides[1] != 1)) {
    return absl::nullopt;
  }
  return from_start_;
}

void FillElements(Tensor& tensor, const void* element) {
  if (tensor.bytes == 0) return;
  auto* const bytes = static_cast<uint8_t*>(tensor.data);
  size_t filled = ElementBytes(tensor.type);
  std::memcpy(bytes, element, filled);
  while (filled < tensor.bytes) {
    const size_t more = std::min(filled, tensor.bytes - filled);
    std::memcpy(bytes + filled, bytes, more);
    filled += more;
  }
}

}  // namespace stowage::harness
