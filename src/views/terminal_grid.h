// SPDX-License-Identifier: Apache-2.0
// Computes the cells of a plan that is drawn as text in a terminal.
#ifndef STOWAGE_SRC_VIEWS_TERMINAL_GRID_H_
#define STOWAGE_SRC_VIEWS_TERMINAL_GRID_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/explain/plan_view.h"
#include "stowage/usage_record.h"

namespace stowage::views {

// The part of a plan that a picture shows, and the size of the picture in
// cells.
struct TextWindow {
  TaskId first_task = 0;
  uint64_t tasks = 1;
  uint64_t bytes = 1;  // byte 0 is the first
  size_t columns = 1;
  size_t rows = 1;  // rows are counted from the top

  // Return the first and the last column that show `task`, which must be in the
  // window.
  size_t ColumnOf(TaskId task) const;
  size_t LastColumnOf(TaskId task) const;
  // Returns the row of a byte. Requires that `byte` is below `bytes`.
  size_t RowOf(uint64_t byte) const;
};

// One character and the number of its colour, which is 0 if the character has
// no colour.
struct TextCell {
  std::string text = " ";
  int color = 0;
};

// The numbers of the colours, from 1. There are kLetterColors colours for
// letters; if there are more letters, the colours repeat.
inline constexpr int kShadeColor = 1;
inline constexpr int kPeakColor = 2;
inline constexpr int kUnsafeColor = 3;
inline constexpr int kFirstLetterColor = 4;
inline constexpr int kLetterColors = 6;

using TextGrid = std::vector<std::vector<TextCell>>;

// The number of letters, and thus the maximum number of tensors in a picture
// with letters.
inline constexpr size_t kMaxLetters = 52;
char LetterOf(size_t record);
int LetterColor(size_t record);

// Return the rows of cells that show the arena, from the highest bytes down to
// the lowest.
TextGrid LetterGrid(const PlanView& view, const TextWindow& window);
TextGrid ShadeGrid(const PlanView& view, const TextWindow& window, bool ascii);

// Returns one row of cells. The cell in a column shows the largest number of
// bytes that are live at any task of the column.
std::vector<TextCell> LiveRow(const PlanView& view, const TextWindow& window,
                              bool ascii);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_TERMINAL_GRID_H_
