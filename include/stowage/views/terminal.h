// SPDX-License-Identifier: Apache-2.0
// Draws a plan as text, for terminals, logs and tests. For documents use an SVG
// picture (views/svg.h). To examine a large plan use a page (views/page.h).
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
// Tasks run to the right, bytes upwards. Up to 52 tensors have letters, and a
// cell shows the letter of the tensor that occupies most of the cell. In larger
// plans, the shade of a cell is the share that is occupied. The shade is exact
// for any number of records: a cell is blank only if every byte is free, and
// full only if no byte is free.
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
  // Says whether escape sequences of ANSI terminals are used.
  bool color = false;
  // The first and the last task that are shown. If `from` or `to` is not given,
  // all tasks on that side are shown.
  absl::optional<TaskId> from = {};
  absl::optional<TaskId> to = {};
};

// Returns lines with line ends. Ids are printed without control characters and
// direction marks, and take as many columns as they need in a terminal
// (DisplayWidth). An unsafe plan is shown with its violation, and with `X` (`!`
// in plans with letters) where bytes are occupied twice. Errors:
// InvalidArgument for a width or height out of range; OutOfRange for tasks that
// the plan does not have. O(n + width * height).
absl::StatusOr<std::string> PlanText(const PlanView& view,
                                     const TextOptions& options);

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_TERMINAL_H_
