// SPDX-License-Identifier: Apache-2.0
#include "src/views/raster.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/numeric/bits.h"
#include "absl/numeric/int128.h"

namespace stowage::views {
namespace {

constexpr int kSumBits = 128;
constexpr int kByteBits = 63;
// The number of high bits that are kept free in a sum, so that the sum can be
// multiplied by a scale of up to 2^16.
constexpr int kScaleBits = 17;

int BitsOf(uint64_t number) {
  return static_cast<int>(absl::bit_width(number));
}

uint64_t ExtentOf(uint64_t begin, uint64_t end) {
  return end > begin ? end - begin : 1;
}

}  // namespace

uint64_t Raster::Axis::Locate(uint64_t position, size_t* cell) const {
  const absl::uint128 scaled = absl::uint128(position - begin) * cells;
  *cell = static_cast<size_t>(scaled / extent);
  return static_cast<uint64_t>(scaled % extent) >> shift;
}

Raster::Steps Raster::Axis::StepsOf(uint64_t first, uint64_t last) const {
  Steps steps = {};
  const uint64_t before = Locate(first, &steps.cells[0]);
  const uint64_t after = Locate(last, &steps.cells[2]);
  steps.cells[1] = steps.cells[0] + 1;
  steps.cells[3] = steps.cells[2] + 1;
  steps.units[0] = units() - before;
  steps.units[1] = before;
  // The differences in units[2] and units[3] are negative and are stored modulo
  // 2^128.
  steps.units[2] = -absl::uint128(units() - after);
  steps.units[3] = -absl::uint128(after);
  return steps;
}

Raster::Raster(size_t columns, size_t rows, const PlanArea& window,
               size_t areas)
    : tasks_({window.first_task, ExtentOf(window.first_task, window.end_task),
              columns, 0}),
      bytes_({window.begin, ExtentOf(window.begin, window.end), rows, 0}),
      sums_((columns + 2) * (rows + 2)) {
  bytes_.shift = std::max(0, BitsOf(bytes_.extent) - kByteBits);
  const int others =
      BitsOf(bytes_.units()) + std::max(BitsOf(areas), kScaleBits);
  tasks_.shift = std::max(0, BitsOf(tasks_.extent) + others - kSumBits);
}

void Raster::Add(const PlanArea& area) {
  const uint64_t first = std::max(area.first_task, tasks_.begin);
  const uint64_t last = std::min(area.end_task, tasks_.begin + tasks_.extent);
  const uint64_t low = std::max(area.begin, bytes_.begin);
  const uint64_t high = std::min(area.end, bytes_.begin + bytes_.extent);
  if (first >= last || low >= high) return;
  const Steps across = tasks_.StepsOf(first, last);
  const Steps up = bytes_.StepsOf(low, high);
  for (size_t r = 0; r < 4; ++r) {
    for (size_t c = 0; c < 4; ++c) {
      At(across.cells[c], up.cells[r]) += across.units[c] * up.units[r];
    }
  }
}

void Raster::Sum() {
  const size_t columns = tasks_.cells + 2;
  for (size_t i = 0; i < sums_.size(); ++i) {
    if (i % columns > 0) sums_[i] += sums_[i - 1];
  }
  for (size_t i = columns; i < sums_.size(); ++i) {
    sums_[i] += sums_[i - columns];
  }
}

uint32_t Raster::Share(size_t column, size_t row, uint32_t scale) const {
  const absl::uint128 cell = absl::uint128(tasks_.units()) * bytes_.units();
  const absl::uint128 occupied = std::min(At(column, row), cell);
  if (occupied == 0) return 0;
  return std::max(1U, static_cast<uint32_t>(occupied * scale / cell));
}

}  // namespace stowage::views
