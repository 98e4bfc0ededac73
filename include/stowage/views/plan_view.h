// SPDX-License-Identifier: Apache-2.0
// A plan as it is drawn: rectangles over tasks and bytes, with all that the
// pictures and reports of this folder say of it. Programs that only want to
// know whether a plan is safe use verify.h.
//
//   absl::StatusOr<Trace> plan = ReadTraceCsv("plan.csv");
//   if (!plan.ok()) return plan.status();
//   const absl::StatusOr<views::PlanView> view =
//       views::ViewPlan(*std::move(plan), {"plan.csv"});
//
// Shared objects and pools are drawn above one another, each a band of the
// drawing, so that every plan is a set of rectangles in one plane:
//
//   bytes ^  band 1  +------+   +---+       a rectangle spans the tasks
//         |  ........|......|...|...|       first_task .. last_task, inclusive,
//         |  band 0  +---+ +--------+       and the bytes
//         +---------------------------->    [offset, offset + tensor_size)
//                     tasks
//
// The rectangles of a safe plan never overlap, except for records of one group
// and pairs that `never` are live together (constraints.h). A plan that is not
// safe is viewed, too, with its violation.
#ifndef STOWAGE_VIEWS_PLAN_VIEW_H_
#define STOWAGE_VIEWS_PLAN_VIEW_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::views {

// A pool or a shared object: bytes [begin, begin + size) of the drawing.
struct Band {
  std::string name;  // of the pool, or the id of the object
  size_t begin = 0;
  size_t size = 0;                  // bytes that the plan uses of it
  absl::optional<size_t> capacity;  // bytes, of pools
};

// What is said of a plan and is not in its file.
struct PlanCaption {
  std::string title;     // what reports call it: the file, or the input
  std::string strategy;  // that made it, where it is known
  // A lower bound and what proves it, where a search proved more than the
  // records say; else Problem::lower_bound counts.
  absl::optional<size_t> lower_bound = {};
  std::string bound_reason = {};
};

// By record where nothing else is said. Bytes, tasks inclusive.
struct PlanView {
  PlanCaption caption;
  Trace trace;  // with the columns of the plan
  PlanKind kind = PlanKind::kOffsets;
  std::vector<size_t> offsets;  // in the drawing
  std::vector<Band> bands;      // empty for one arena without pools
  // Of the drawing: the end of the highest byte, or of the last band. With
  // objects the sum of their sizes, with pools the sum of what they use.
  size_t total_size = 0;
  size_t lower_bound = 0;
  std::string bound_reason;  // "the bytes live at task 5"
  // The bytes live, from each task at which they change to the next such task;
  // the last entry has none live. Empty without records.
  std::vector<TaskBreadth> profile;
  size_t peak_breadth = 0;         // the most in `profile`
  std::vector<TaskId> peak_tasks;  // where they are reached, rising
  TaskId task_count = 0;           // one past the last task of any record
  absl::optional<Violation> violation;
  std::string violation_text;  // Describe(*violation) with ids

  bool is_optimal() const { return !violation && total_size == lower_bound; }
};

// The view of a trace with a plan: offsets, or objects if it has no offsets.
// Errors: FailedPrecondition if the trace has no plan; InvalidArgument for
// records or constraints that Problem::Create refuses; OutOfRange if the
// drawing passes 2^64 - 1 bytes, or a record lives at task 2^64 - 1.
// O(n log n), and for partial orders what the verifier takes.
absl::StatusOr<PlanView> ViewPlan(Trace plan, PlanCaption caption);

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_PLAN_VIEW_H_
