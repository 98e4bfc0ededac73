// SPDX-License-Identifier: Apache-2.0
// Divides a plan into the cells of a grid over tasks and bytes, and computes
// the share of each cell that is occupied. Pictures of plans use a raster if
// records are too small to be drawn. Records that are large enough for a
// rectangle do not need a raster.
//
//   Raster raster(80, 20, {0, view.task_count, 0, view.total_size}, n);
//   for (...) raster.Add({first, last + 1, offset, offset + size});
//   raster.Sum();
//   raster.Share(x, y, 255);  // 255 where no byte of the cell is free
//
// Adding a record costs O(1), whatever its size: it changes a two-dimensional
// array of differences only around the four corners of the record, and one pass
// of prefix sums then computes the occupied area. All numbers are integers.
// Their unit is 1 / task_count of the width of a cell times 1 / byte_count of
// its height, so every record covers a whole number of units:
//
//   differences              sums over columns and rows
//    .  .  .  .  .            .  .  .  .
//    . +2 +2 -2 -2            .  2  4  2        the share of a cell is its sum
//    . +1 +1 -1 -1            .  3  6  3        over the units of a cell
//
// The result is exact for windows of up to 2^44 tasks and 2^63 bytes with a
// million records. For larger windows, the units are rounded such that the sums
// fit into 128 bits. The borders of cells are never rounded.
#ifndef STOWAGE_SRC_VIEWS_RASTER_H_
#define STOWAGE_SRC_VIEWS_RASTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"

namespace stowage::views {

// A rectangle of a plan: tasks [first_task, end_task) and bytes [begin, end).
struct PlanArea {
  uint64_t first_task = 0;
  uint64_t end_task = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
};

class Raster {
 public:
  // Divides `window` into `columns` times `rows` cells. Requires that both
  // numbers are from 1 to 2^20. The first row has the lowest bytes. `areas` is
  // the maximum number of areas that will be added. O(cells).
  Raster(size_t columns, size_t rows, const PlanArea& window, size_t areas);

  // Adds the part of the area that is inside the window. O(1).
  void Add(const PlanArea& area);

  // Sums the differences. Must be called once, after the last Add and before
  // the first Share. O(cells).
  void Sum();

  // Returns the occupied share of the cell, multiplied by `scale` and rounded
  // down. The result is at most `scale`, and at least 1 if any part of the cell
  // is occupied. A byte that belongs to several areas counts once for each of
  // them. Requires that Sum has been called after the last Add, and that
  // `scale` is from 1 to 2^16.
  uint32_t Share(size_t column, size_t row, uint32_t scale) const;

 private:
  // The differences, in units, that a range on one axis adds to four cells: two
  // adjacent cells at the start of the range and two at its end.
  struct Steps {
    size_t cells[4];
    absl::uint128 units[4];
  };
  // Divides one axis into cells.
  struct Axis {
    uint64_t begin = 0;
    uint64_t extent = 1;
    size_t cells = 1;
    // The number of low bits of units that are dropped so that sums fit into
    // 128 bits.
    int shift = 0;
    // Sets *cell to the cell that contains the position. Returns the number of
    // units of this cell that are before the position.
    uint64_t Locate(uint64_t position, size_t* cell) const;
    Steps StepsOf(uint64_t first, uint64_t last) const;
    uint64_t units() const { return extent >> shift; }
  };

  absl::uint128& At(size_t column, size_t row) {
    return sums_[row * (tasks_.cells + 2) + column];
  }
  const absl::uint128& At(size_t column, size_t row) const {
    return sums_[row * (tasks_.cells + 2) + column];
  }

  Axis tasks_;
  Axis bytes_;
  // The differences before the call of Sum, and the sums after it. There are
  // two more columns and two more rows than cells, for the differences of areas
  // that end at the edge of the window. Arithmetic is modulo 2^128, and the sum
  // of a cell never reaches 2^128.
  std::vector<absl::uint128> sums_;
};

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_RASTER_H_
