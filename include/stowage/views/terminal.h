// SPDX-License-Identifier: Apache-2.0
// A plan as text: for terminals, logs and tests. For documents use an SVG
// picture (views/svg.h), to look into a plan the page (views/page.h).
//
//   absl::StatusOr<views::PlanView> view = views::ViewPlan(trace,
//   {"plan.csv"}); if (!view.ok()) return view.status(); std::cout <<
//   *views::PlanText(*view, {});
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
// cell that of the tensor with the most of it. In larger plans the shade of a
// cell is the share that is occupied, exact at any number of records: blank
// only where every byte is free, full only where none is.
#ifndef STOWAGE_VIEWS_TERMINAL_H_
#define STOWAGE_VIEWS_TERMINAL_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/usage_record.h"
#include "stowage/views/plan_view.h"

namespace stowage::views {

inline constexpr size_t kTextLeastWidth = 20;  // columns
inline constexpr size_t kTextMostWidth = 4096;
inline constexpr size_t kTextMostHeight = 512;  // lines

struct TextOptions {
  size_t width = 100;  // columns that no line passes
  size_t height = 12;  // lines of the arena
  bool ascii = false;  // nothing but ASCII, of ids too
  bool color = false;  // escape sequences of ANSI terminals
  // Only the tasks from `from` to `to`, inclusive: all of them if not given.
  absl::optional<TaskId> from = {};
  absl::optional<TaskId> to = {};
};

// Lines with their ends. Ids are without control characters and marks of
// direction, and as wide as terminals draw them. An unsafe plan is marked with
// its violation: `X` (`!` in lettered plans) where bytes are held twice.
// Errors: InvalidArgument for a width or height out of range; OutOfRange for
// tasks that the plan does not have. O(n + width * height).
absl::StatusOr<std::string> PlanText(const PlanView& view,
                                     const TextOptions& options);

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_TERMINAL_H_
