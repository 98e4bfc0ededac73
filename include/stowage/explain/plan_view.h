// SPDX-License-Identifier: Apache-2.0
// Prepares a plan for drawing. A PlanView contains rectangles over tasks and
// bytes, and everything else that pictures and reports show. To check only
// whether a plan is safe, use verify.h.
//
//   absl::StatusOr<ProblemFile> plan = ReadProblemFile("plan.csv");
//   if (!plan.ok()) return plan.status();
//   const absl::StatusOr<views::PlanView> view =
//       views::ViewPlan(*std::move(plan), {"plan.csv"});
//
// Shared objects and pools are drawn one above another as bands, so every plan
// is a set of rectangles in one plane:
//
//   bytes ^  band 1  +------+   +---+       a rectangle spans the tasks
//         |  ........|......|...|...|       first_task .. last_task, inclusive,
//         |  band 0  +---+ +--------+       and the bytes
//         +---------------------------->    [offset, offset + tensor_size)
//                     tasks
//
// The rectangles of a safe plan do not overlap, except those of records in one
// group and of pairs that are `never` live together (constraints.h). An unsafe
// plan can also be viewed; the view contains its violation.
#ifndef STOWAGE_EXPLAIN_PLAN_VIEW_H_
#define STOWAGE_EXPLAIN_PLAN_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/constraints.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::views {

// A pool or a shared object, drawn at bytes [begin, begin + size).
struct Band {
  std::string name;  // the name of the pool, or the id of the object
  size_t begin = 0;
  size_t size = 0;                  // bytes that the plan uses
  absl::optional<size_t> capacity;  // is in bytes, and is set only for pools
};

// Information about a plan that is not in its file.
struct PlanCaption {
  std::string title;     // the name in reports: the file or the input
  std::string strategy;  // the strategy that made the plan, if it is known
  // The lower bound that a search proved, and its proof. If not set, the bound
  // is that of LowerBoundOf.
  absl::optional<size_t> lower_bound = {};
  std::string bound_reason = {};
  // A lower bound of the cost of every plan that a search proved
  // (Solution::cost_bound).
  uint64_t cost_bound = 0;
};

// A plan, prepared for drawing. Lists have an entry for every record unless
// their comments state otherwise. Sizes are in bytes, and tasks are inclusive.
struct PlanView {
  PlanCaption caption;
  ProblemSpec problem;
  FilePlan plan;  // the plan as the file has it
  PlanKind kind = PlanKind::kOffsets;
  std::vector<size_t> offsets;  // the offsets in the picture
  std::vector<Band> bands;      // is empty for one arena without pools
  // The height of the drawing. For an arena, the end of the highest byte; for
  // shared objects, the sum of their sizes; for pools, the sum of the bytes
  // that the plan uses in them.
  size_t total_size = 0;
  size_t lower_bound = 0;
  std::string bound_reason;  // is "the bytes live at task 5", for example
  // The cost of the plan, and a lower bound of the cost of every plan. `cost`
  // is nullopt if the plan is unsafe, or if the problem has neither pools nor
  // preferences.
  absl::optional<uint64_t> cost;
  uint64_t cost_bound = 0;
  // The pairs that pay in the plan (PaidPairs of plan_cost.h). Empty if the
  // plan is unsafe.
  std::vector<ApartPreference> paid;
  // The number of live bytes, with an entry for each task at which this number
  // changes. The number of an entry applies until the task of the next entry,
  // and the number of the last entry is 0. Empty if there are no records.
  std::vector<TaskBreadth> profile;
  size_t peak_breadth = 0;  // the maximum of `profile`
  // The tasks at which peak_breadth bytes are live, in rising order.
  std::vector<TaskId> peak_tasks;
  TaskId task_count = 0;  // is one past the last task of any record
  absl::optional<Violation> violation;
  std::string violation_text;  // the text of Describe(*violation), with ids

  // Returns whether it is proved that no plan is smaller and no plan costs
  // less.
  bool is_optimal() const {
    return !violation && total_size == lower_bound &&
           cost.value_or(0) <= cost_bound;
  }
};

// Returns the view of the plan in a file. The view shows the offsets of the
// plan or, if the file has no offsets, its shared objects. Errors:
// FailedPrecondition if the file has no plan; InvalidArgument for records or
// constraints that Problem::Create refuses; OutOfRange if the drawing exceeds
// 2^64 - 1 bytes, or a record is live at task 2^64 - 1. O(n log n), plus the
// time of the verifier for partial orders.
absl::StatusOr<PlanView> ViewPlan(ProblemFile file, PlanCaption caption);

}  // namespace stowage::views

#endif  // STOWAGE_EXPLAIN_PLAN_VIEW_H_
