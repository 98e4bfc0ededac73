// SPDX-License-Identifier: Apache-2.0
// The occupied share of every cell of a grid over tasks and bytes: pictures of
// plans whose records are smaller than what can be drawn. Records that are
// large enough for a rectangle need no raster.
//
//   Raster raster(80, 20, {0, view.task_count, 0, view.total_size}, n);
//   for (...) raster.Add({first, last + 1, offset, offset + size});
//   raster.Sum();
//   raster.Share(x, y, 255);  // 255 where no byte of the cell is free
//
// A record costs O(1) whatever its shape: it changes a two-dimensional array of
// differences around its four corners, and one pass of prefix sums gives what
// is occupied. All of it is integers, in units of 1 / task_count of a cell's
// width and 1 / byte_count of its height, so that every record has whole units:
//
//   differences              sums over columns and rows
//    .  .  .  .  .            .  .  .  .
//    . +2 +2 -2 -2            .  2  4  2        the share of a cell is its sum
//    . +1 +1 -1 -1            .  3  6  3        over the units of a cell
//
// Exact for windows of up to 2^44 tasks and 2^63 bytes with a million records;
// beyond that the units are rounded to what 128 bits hold, never the cells.
#ifndef STOWAGE_SRC_VIEWS_RASTER_H_
#define STOWAGE_SRC_VIEWS_RASTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"

namespace stowage::views {

// Tasks [first_task, end_task) and bytes [begin, end).
struct PlanArea {
  uint64_t first_task = 0;
  uint64_t end_task = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
};

class Raster {
 public:
  // `window` is divided into `columns` times `rows` cells, both from 1 to 2^20,
  // the first row at the lowest bytes. At most `areas` areas will be added.
  // O(cells).
  Raster(size_t columns, size_t rows, const PlanArea& window, size_t areas);

  // Adds what of the area lies in the window. O(1).
  void Add(const PlanArea& area);

  // After the last area and before any question. O(cells).
  void Sum();

  // floor(scale * occupied / units of a cell), at most `scale`, but at least 1
  // where anything is occupied. A byte that areas share counts for each.
  // `scale` is at most 2^16. Requires Sum.
  uint32_t Share(size_t column, size_t row, uint32_t scale) const;
  bool IsEmpty(size_t column, size_t row) const;

 private:
  // A range of one axis in its units, as the differences that it makes: of four
  // neighbouring cells, two at its start and two at its end.
  struct Steps {
    size_t cells[4];
    absl::uint128 units[4];
  };
  // How one axis is divided.
  struct Axis {
    uint64_t begin = 0;
    uint64_t extent = 1;
    size_t cells = 1;
    int shift = 0;  // of units, for extents that 128 bits cannot hold
    // Sets `cell` to that of the position and returns the units before it.
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
  // Differences, then sums; two more columns and rows than cells, for what ends
  // at the edge. Modulo 2^128, which no sum of a cell reaches.
  std::vector<absl::uint128> sums_;
};

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_RASTER_H_
