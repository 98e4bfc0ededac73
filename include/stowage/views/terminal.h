// SPDX-License-Identifier: Apache-2.0
// Draws a plan as text, for terminals, logs and tests. For documents, use an
// SVG picture (views/svg.h). To examine a large plan, use a page
// (views/page.h).
//
//   absl::StatusOr<views::PlanView> view =
//       views::ViewPlan(file, {"plan.csv"});
//   if (!view.ok()) return view.status();
//   std::cout << *views::PlanText(*view, {});
//
//   two.csv: 2 tensors, 6 tasks, 10 bytes, at the lower bound
//                v peak, task 3
//     10 B|      bbbbbbbbbbb
//         |aaaaaaaaaaaa
//    alive|-------#####------
//    tasks|0                5
//   a=stem 6 B  b=head 4 B
//
// The horizontal axis shows tasks, and the vertical axis shows bytes. In plans
// of up to 52 tensors, each tensor has a letter, and a cell shows the letter of
// the tensor that occupies most of the cell. In larger plans, the shade of a
// cell shows the occupied share. The shade is exact for any number of records:
// a cell is blank only if every byte is free, and full only if no byte is free.
#ifndef STOWAGE_VIEWS_TERMINAL_H_
#define STOWAGE_VIEWS_TERMINAL_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/explain/plan_view.h"
#include "stowage/usage_record.h"

namespace stowage::views {

inline constexpr size_t kTextLeastWidth = 20;  // is in columns
inline constexpr size_t kTextMaxWidth = 4096;
inline constexpr size_t kTextMaxHeight = 512;  // is in lines

struct TextOptions {
  size_t width = 100;  // the maximum length of a line, in columns
  size_t height = 12;  // the number of lines of the arena
  bool ascii = false;  // says whether only ASCII is used, also for ids
  // If true, the text contains escape sequences of ANSI terminals.
  bool color = false;
  // The first and the last task to show. If `from` is not set, the picture
  // begins at the first task of the plan; if `to` is not set, it ends at the
  // last.
  absl::optional<TaskId> from = {};
  absl::optional<TaskId> to = {};
};

// Returns lines with line ends. Ids are printed without control characters and
// direction marks, and are aligned by the columns that they need in a terminal
// (DisplayWidth). An unsafe plan is shown with its violation, and with `X` (`!`
// in plans with letters) where two tensors occupy the same bytes. Errors:
// InvalidArgument if the width or height is out of range; OutOfRange if the
// plan does not have the given tasks. O(n + width * height).
absl::StatusOr<std::string> PlanText(const PlanView& view,
                                     const TextOptions& options);

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_TERMINAL_H_
