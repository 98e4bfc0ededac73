// SPDX-License-Identifier: Apache-2.0
// The cells of a plan drawn as text.
#ifndef STOWAGE_SRC_VIEWS_TERMINAL_GRID_H_
#define STOWAGE_SRC_VIEWS_TERMINAL_GRID_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/explain/plan_view.h"
#include "stowage/usage_record.h"

namespace stowage::views {

// The part of a plan that is drawn, and its cells.
struct TextWindow {
  TaskId first_task = 0;
  uint64_t tasks = 1;
  uint64_t bytes = 1;  // from 0
  size_t columns = 1;
  size_t rows = 1;  // from the top

  // The first and last column that a task of the window is in.
  size_t ColumnOf(TaskId task) const;
  size_t LastColumnOf(TaskId task) const;
  // The row of a byte below `bytes`.
  size_t RowOf(uint64_t byte) const;
};

// One character, and its colour by number: 0 for none.
struct TextCell {
  std::string text = " ";
  int color = 0;
};

// Colours of the terminal, from 1 on; those of letters repeat after
// kLetterColors.
inline constexpr int kShadeColor = 1;
inline constexpr int kPeakColor = 2;
inline constexpr int kUnsafeColor = 3;
inline constexpr int kFirstLetterColor = 4;
inline constexpr int kLetterColors = 6;

using TextGrid = std::vector<std::vector<TextCell>>;

// As many tensors have letters.
inline constexpr size_t kMostLetters = 52;
char LetterOf(size_t record);
int LetterColor(size_t record);

// The arena, the highest bytes first.
TextGrid LetterGrid(const PlanView& view, const TextWindow& window);
TextGrid ShadeGrid(const PlanView& view, const TextWindow& window, bool ascii);

// The most bytes live at the tasks of each column: one row.
std::vector<TextCell> LiveRow(const PlanView& view, const TextWindow& window,
                              bool ascii);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_TERMINAL_GRID_H_
