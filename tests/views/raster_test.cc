// SPDX-License-Identifier: Apache-2.0
// Tests that the occupied share of each cell is exact.
#include "src/views/raster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "rapidcheck/gtest.h"

namespace stowage::views {
namespace {

// Returns how many units of a cell the range from `begin` to `end` covers, on
// the axis of tasks or of bytes. The axis is divided into `cells` cells. All
// lengths are integers in this unit: a cell is `extent` units long, and a task
// or byte is `cells` units long.
absl::uint128 UnitsInCell(uint64_t begin, uint64_t end, const PlanArea& window,
                          bool is_tasks, size_t cell, size_t cells) {
  const uint64_t low = is_tasks ? window.first_task : window.begin;
  const uint64_t high = is_tasks ? window.end_task : window.end;
  begin = std::clamp(begin, low, high) - low;
  end = std::clamp(end, low, high) - low;
  const absl::uint128 extent = high - low;
  const absl::uint128 from =
      std::max(absl::uint128(begin) * cells, extent * cell);
  const absl::uint128 to =
      std::min(absl::uint128(end) * cells, extent * (cell + 1));
  return to > from ? to - from : 0;
}

// Returns the occupied share of one cell, computed by adding up all areas.
uint32_t ShareByHand(const std::vector<PlanArea>& areas, const PlanArea& window,
                     size_t column, size_t row, size_t columns, size_t rows,
                     uint32_t scale) {
  absl::uint128 occupied = 0;
  for (const PlanArea& area : areas) {
    occupied += UnitsInCell(area.first_task, area.end_task, window, true,
                            column, columns) *
                UnitsInCell(area.begin, area.end, window, false, row, rows);
  }
  const absl::uint128 cell =
      absl::uint128(window.end_task - window.first_task) *
      (window.end - window.begin);
  occupied = std::min(occupied, cell);
  if (occupied == 0) return 0;
  return std::max(1U, static_cast<uint32_t>(occupied * scale / cell));
}

Raster Drawn(const std::vector<PlanArea>& areas, const PlanArea& window,
             size_t columns, size_t rows) {
  Raster raster(columns, rows, window, areas.size());
  for (const PlanArea& area : areas) raster.Add(area);
  raster.Sum();
  return raster;
}

TEST(Raster, HasTheExampleOfItsHeader) {
  // Four tasks by two bytes are drawn on two cells by one. The first cell is
  // half occupied, and the second is fully occupied.
  const Raster raster = Drawn({{1, 2, 0, 2}, {2, 4, 0, 2}}, {0, 4, 0, 2}, 2, 1);
  EXPECT_EQ(raster.Share(0, 0, 100), 50U);
  EXPECT_EQ(raster.Share(1, 0, 100), 100U);
}

TEST(Raster, HasTheFirstRowAtTheLowestBytes) {
  const Raster raster = Drawn({{0, 1, 0, 5}}, {0, 1, 0, 10}, 1, 2);
  EXPECT_EQ(raster.Share(0, 0, 8), 8U);
  EXPECT_EQ(raster.Share(0, 1, 8), 0U);
}

TEST(Raster, ShowsTheLeastThereIs) {
  const Raster raster = Drawn(
      {{7, 8, 9, 10}}, {0, uint64_t{1} << 40, 0, uint64_t{1} << 63}, 3, 3);
  EXPECT_EQ(raster.Share(0, 0, 255), 1U);
  EXPECT_EQ(raster.Share(1, 1, 255), 0U);
}

TEST(Raster, DoesNotWrapWhereAMillionRecordsHoldAllOfTheLargestWindow) {
  const PlanArea all = {0, uint64_t{1} << 40, 0, uint64_t{1} << 63};
  Raster raster(7, 5, all, 1000000);
  for (size_t i = 0; i < 1000000; ++i) raster.Add(all);
  raster.Sum();
  for (size_t row = 0; row < 5; ++row) {
    for (size_t column = 0; column < 7; ++column) {
      EXPECT_EQ(raster.Share(column, row, 1 << 16), 1U << 16);
    }
  }
}

TEST(Raster, RoundsUnitsOfWindowsBeyondThat) {
  const uint64_t max = ~uint64_t{0};
  const PlanArea window = {0, max, 0, max};
  const Raster raster =
      Drawn({{0, max / 2, 0, max}, {max / 2, max, 0, max / 4}}, window, 2, 1);
  EXPECT_NEAR(raster.Share(0, 0, 1 << 16), 1 << 16, 1);
  EXPECT_NEAR(raster.Share(1, 0, 1 << 16), 1 << 14, 1);
}

TEST(Raster, OfAnEmptyWindowIsEmpty) {
  const Raster raster = Drawn({{3, 9, 0, 8}}, {5, 5, 0, 0}, 4, 4);
  EXPECT_LE(raster.Share(3, 3, 8), 8U);
}

PlanArea ArbitraryArea(uint64_t tasks, uint64_t bytes) {
  const auto below = [](uint64_t max) {
    return *rc::gen::inRange<uint64_t>(0, max + 1);
  };
  PlanArea area;
  area.first_task = below(tasks);
  area.end_task = area.first_task + below(tasks);
  area.begin = below(bytes);
  area.end = area.begin + below(bytes);
  return area;
}

RC_GTEST_PROP(RasterProperty, IsWhatAddingUpGives, ()) {
  const auto columns = *rc::gen::inRange<size_t>(1, 9);
  const auto rows = *rc::gen::inRange<size_t>(1, 9);
  const int task_bits = *rc::gen::element(2, 5, 40);
  const int byte_bits = *rc::gen::element(2, 6, 62);
  const uint64_t tasks = uint64_t{1} << task_bits;
  const uint64_t bytes = uint64_t{1} << byte_bits;
  PlanArea window = ArbitraryArea(tasks, bytes);
  window.end_task += 1;
  window.end += 1;
  std::vector<PlanArea> areas;
  const auto count = *rc::gen::inRange<size_t>(0, 8);
  for (size_t i = 0; i < count; ++i) {
    areas.push_back(ArbitraryArea(2 * tasks, bytes));
  }
  const Raster raster = Drawn(areas, window, columns, rows);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) {
      for (const uint32_t scale : {8U, 255U, 1U << 16}) {
        RC_ASSERT(
            raster.Share(column, row, scale) ==
            ShareByHand(areas, window, column, row, columns, rows, scale));
      }
    }
  }
}

}  // namespace
}  // namespace stowage::views
