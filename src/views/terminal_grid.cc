// SPDX-License-Identifier: Apache-2.0
#include "src/views/terminal_grid.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/views/raster.h"
#include "stowage/explain/plan_view.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "stowage/verify/violation_details.h"

namespace stowage::views {
namespace {

// The share of a full cell.
constexpr uint32_t kWhole = 240;

PlanArea AreaOf(const TextWindow& window) {
  return {window.first_task, window.first_task + window.tasks, 0, window.bytes};
}

PlanArea AreaOf(const PlanView& view, size_t record) {
  const TensorUsageRecord<size_t>& r = view.problem.records[record];
  return {r.first_task, r.last_task + 1, view.offsets[record],
          view.offsets[record] + r.tensor_size};
}

size_t CellOf(uint64_t position, uint64_t extent, size_t cells) {
  return static_cast<size_t>(
      static_cast<uint64_t>(absl::uint128(position) * cells / extent));
}

// Returns how much of a cell a record occupies. The unit depends on the cell,
// so the results are only good for comparing records within one cell.
absl::uint128 Held(const PlanArea& area, const TextWindow& window,
                   size_t column, size_t row) {
  const auto shared = [](absl::uint128 begin, absl::uint128 end,
                         absl::uint128 low, absl::uint128 high) {
    const absl::uint128 from = std::max(begin, low);
    const absl::uint128 to = std::min(end, high);
    return to > from ? to - from : absl::uint128(0);
  };
  const uint64_t begin = area.first_task > window.first_task
                             ? area.first_task - window.first_task
                             : 0;
  const uint64_t end =
      area.end_task > window.first_task ? area.end_task - window.first_task : 0;
  const absl::uint128 tasks = window.tasks;
  const absl::uint128 across = shared(absl::uint128(begin) * window.columns,
                                      absl::uint128(end) * window.columns,
                                      tasks * column, tasks * (column + 1));
  // The row, counted from the bottom.
  const size_t level = window.rows - 1 - row;
  const absl::uint128 bytes = window.bytes;
  const absl::uint128 up = shared(absl::uint128(area.begin) * window.rows,
                                  absl::uint128(area.end) * window.rows,
                                  bytes * level, bytes * (level + 1));
  // Rounds the width up to a multiple of 1/4096 of the width of the cell, so
  // that the product fits into 128 bits.
  return (across * 4096 + tasks - 1) / tasks * up;
}

// Returns the character that shows a share. The lightest character is reserved
// for a share of 0, and the darkest for a full cell.
std::string Shade(uint32_t share, bool ascii) {
  static constexpr const char* kBlocks[] = {" ", "\u2591", "\u2592", "\u2593",
                                            "\u2588"};
  static constexpr const char* kRamp[] = {" ", ".", ":", "+", "#"};
  size_t level = 0;
  if (share > 0) level = 1 + std::min(share * 3 / kWhole, 2U);
  if (share == kWhole) level = 4;
  return ascii ? kRamp[level] : kBlocks[level];
}

// Returns the character of a cell, given the shares of its upper and lower
// halves.
std::string Halves(uint32_t upper, uint32_t lower) {
  constexpr uint32_t kMax = kWhole * 3 / 4;
  constexpr uint32_t kLeast = kWhole / 4;
  if (upper >= kMax && lower <= kLeast) return "\u2580";
  if (lower >= kMax && upper <= kLeast) return "\u2584";
  // A sum of 1 must not be rounded to 0, or the cell would look empty.
  const uint32_t sum = upper + lower;
  return Shade(sum > 0 ? std::max(1U, sum / 2) : 0, false);
}

// Marks the cells of the bytes that two tensors hold at the same time according
// to the violation.
void MarkViolation(const PlanView& view, const TextWindow& window, char mark,
                   TextGrid* grid) {
  if (!view.violation) return;
  const Violation& v = *view.violation;
  const HeldTwice held_twice = DetailsOf(v).held_twice;
  if (held_twice == HeldTwice::kNothing || v.task < window.first_task ||
      v.task - window.first_task >= window.tasks) {
    return;
  }
  uint64_t begin = v.begin;
  uint64_t end = v.end;
  if (held_twice == HeldTwice::kObject) {
    if (v.object >= view.bands.size()) return;
    begin = view.bands[v.object].begin;
    end = begin + view.bands[v.object].size;
  } else if (v.pool < view.bands.size()) {
    begin += view.bands[v.pool].begin;
    end += view.bands[v.pool].begin;
  }
  if (begin >= end || begin >= window.bytes) return;
  const size_t column = window.ColumnOf(v.task);
  const size_t lowest = window.RowOf(begin);
  const size_t highest = window.RowOf(std::min(end, window.bytes) - 1);
  for (size_t row = highest; row <= lowest; ++row) {
    (*grid)[row][column] = {std::string(1, mark), kUnsafeColor};
  }
}

}  // namespace

size_t TextWindow::ColumnOf(TaskId task) const {
  return CellOf(task - first_task, tasks, columns);
}

size_t TextWindow::LastColumnOf(TaskId task) const {
  const absl::uint128 end = absl::uint128(task - first_task + 1) * columns;
  return static_cast<size_t>(static_cast<uint64_t>((end - 1) / tasks));
}

size_t TextWindow::RowOf(uint64_t byte) const {
  return rows - 1 - CellOf(byte, bytes, rows);
}

char LetterOf(size_t record) {
  return record < 26 ? static_cast<char>('a' + record)
                     : static_cast<char>('A' + (record - 26));
}

int LetterColor(size_t record) {
  return kFirstLetterColor + static_cast<int>(record % kLetterColors);
}

TextGrid LetterGrid(const PlanView& view, const TextWindow& window) {
  TextGrid grid(window.rows, std::vector<TextCell>(window.columns));
  for (size_t row = 0; row < window.rows; ++row) {
    for (size_t column = 0; column < window.columns; ++column) {
      absl::uint128 max = 0;
      for (size_t i = 0; i < view.offsets.size(); ++i) {
        const absl::uint128 held = Held(AreaOf(view, i), window, column, row);
        if (held <= max) continue;
        max = held;
        grid[row][column] = {std::string(1, LetterOf(i)), LetterColor(i)};
      }
    }
  }
  MarkViolation(view, window, '!', &grid);
  return grid;
}

TextGrid ShadeGrid(const PlanView& view, const TextWindow& window, bool ascii) {
  const size_t halves = ascii ? 1 : 2;
  Raster raster(window.columns, halves * window.rows, AreaOf(window),
                view.offsets.size());
  for (size_t i = 0; i < view.offsets.size(); ++i) raster.Add(AreaOf(view, i));
  raster.Sum();
  TextGrid grid(window.rows, std::vector<TextCell>(window.columns));
  for (size_t row = 0; row < window.rows; ++row) {
    const size_t level = halves * (window.rows - 1 - row);
    for (size_t column = 0; column < window.columns; ++column) {
      const uint32_t lower = raster.Share(column, level, kWhole);
      TextCell& cell = grid[row][column];
      cell.text = ascii
                      ? Shade(lower, true)
                      : Halves(raster.Share(column, level + 1, kWhole), lower);
      cell.color = cell.text == " " ? 0 : kShadeColor;
    }
  }
  MarkViolation(view, window, 'X', &grid);
  return grid;
}

std::vector<TextCell> LiveRow(const PlanView& view, const TextWindow& window,
                              bool ascii) {
  static constexpr const char* kBars[] = {" ",      "\u2581", "\u2582",
                                          "\u2583", "\u2584", "\u2585",
                                          "\u2586", "\u2587", "\u2588"};
  static constexpr const char* kRamp[] = {" ", ".", ":", "+", "#"};
  const size_t levels = (ascii ? std::size(kRamp) : std::size(kBars)) - 1;
  const TaskId end = window.first_task + window.tasks;
  std::vector<size_t> max(window.columns, 0);
  for (size_t k = 0; k + 1 < view.profile.size(); ++k) {
    const TaskId first = std::max(view.profile[k].task, window.first_task);
    const TaskId last = std::min(view.profile[k + 1].task, end);
    if (first >= last) continue;
    // A task may be several columns wide, so sets all of its columns.
    const size_t last_column = window.LastColumnOf(last - 1);
    for (size_t c = window.ColumnOf(first); c <= last_column; ++c) {
      max[c] = std::max(max[c], view.profile[k].breadth);
    }
  }
  std::vector<TextCell> row(window.columns);
  for (size_t c = 0; c < window.columns; ++c) {
    if (max[c] == 0) continue;
    // Rounds the height down, so that only peaks reach the highest bar. Each
    // column has at least the lowest bar.
    const absl::uint128 level =
        (absl::uint128(max[c]) * levels) / view.peak_breadth;
    const size_t bar = std::clamp<size_t>(
        static_cast<size_t>(static_cast<uint64_t>(level)), 1, levels);
    row[c] = {ascii ? kRamp[bar] : kBars[bar], kShadeColor};
  }
  return row;
}

}  // namespace stowage::views
