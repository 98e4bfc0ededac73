// SPDX-License-Identifier: Apache-2.0
#include "stowage/explain/plan_view.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/bounds/constrained_bound.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/io/problem_file.h"
#include "stowage/lower_bound.h"
#include "stowage/plan_cost.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::views {
namespace {

// The begin or the end of a record, which changes the number of live bytes.
struct Change {
  TaskId task;
  bool begins;
  size_t bytes;
};

// Returns each task at which the number of live bytes changes, together with
// the new number. Requires that no record is live at the last possible task,
// 2^64 - 1.
std::vector<TaskBreadth> ProfileOf(
    const std::vector<TensorUsageRecord<size_t>>& records) {
  std::vector<Change> changes;
  changes.reserve(2 * records.size());
  for (const TensorUsageRecord<size_t>& r : records) {
    changes.push_back({r.first_task, true, r.tensor_size});
    changes.push_back({r.last_task + 1, false, r.tensor_size});
  }
  // At each task, ends come before begins, so no intermediate sum exceeds the
  // number of live bytes.
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) {
              return std::make_pair(a.task, a.begins) <
                     std::make_pair(b.task, b.begins);
            });
  std::vector<TaskBreadth> profile;
  size_t live = 0;
  for (size_t i = 0; i < changes.size();) {
    const TaskId task = changes[i].task;
    for (; i < changes.size() && changes[i].task == task; ++i) {
      if (changes[i].begins) {
        live += changes[i].bytes;
      } else {
        live -= changes[i].bytes;
      }
    }
    const bool is_new = profile.empty() || profile.back().breadth != live;
    if (is_new) profile.push_back({task, live});
  }
  return profile;
}

// Stacks the bands on top of each other. Error: OutOfRange if the sum of their
// sizes exceeds 2^64 - 1.
absl::Status StackBands(std::vector<Band>* bands, size_t* total) {
  *total = 0;
  for (Band& band : *bands) {
    band.begin = *total;
    const absl::optional<size_t> end = CheckedAdd(*total, band.size);
    if (!end) {
      return absl::OutOfRangeError(
          absl::StrCat(band.name,
                       ": the plan exceeds 2^64 - 1 bytes with it; expected a "
                       "total below 2^64"));
    }
    *total = *end;
  }
  return absl::OkStatus();
}

// Sets the cost of a safe plan, if the problem defines a cost.
void ViewCost(const Problem& problem, const OffsetsAssignment& plan,
              PlanView* view) {
  const Constraints* const constraints = problem.constraints();
  const bool has_cost =
      constraints != nullptr &&
      !(constraints->pools.empty() && constraints->prefer_apart.empty());
  if (!has_cost || view->violation) return;
  view->cost = CostOfPlan(problem, plan);
  view->paid = PaidPairs(problem, plan);
  view->cost_bound =
      std::max(view->caption.cost_bound, BoundCost(problem).cost);
}

absl::Status ViewOffsets(const Problem& problem, PlanView* view) {
  const absl::StatusOr<OffsetsAssignment> plan =
      OffsetsOf(view->problem, view->plan);
  if (!plan.ok()) return plan.status();
  view->violation = FindViolation(problem, *plan);
  view->offsets = plan->offsets;
  view->total_size = plan->total_size;
  ViewCost(problem, *plan, view);
  if (plan->pools.empty()) return absl::OkStatus();
  for (const MemoryPool& pool : view->problem.constraints.pools) {
    view->bands.push_back({pool.name, 0, 0, pool.capacity});
  }
  for (size_t i = 0; i < plan->offsets.size(); ++i) {
    size_t& size = view->bands[plan->pools[i]].size;
    size =
        std::max(size, plan->offsets[i] + view->problem.records[i].tensor_size);
  }
  if (absl::Status s = StackBands(&view->bands, &view->total_size); !s.ok()) {
    return s;
  }
  for (size_t i = 0; i < plan->offsets.size(); ++i) {
    view->offsets[i] += view->bands[plan->pools[i]].begin;
  }
  return absl::OkStatus();
}

absl::Status ViewObjects(PlanView* view) {
  const absl::StatusOr<ObjectsAssignment<size_t>> plan =
      ObjectsOf(view->problem, view->plan);
  if (!plan.ok()) return plan.status();
  view->violation = FindViolation(view->problem.records, *plan);
  for (const size_t size : plan->object_sizes) {
    view->bands.push_back({"", 0, size, absl::nullopt});
  }
  for (size_t i = 0; i < plan->object_ids.size(); ++i) {
    view->bands[plan->object_ids[i]].name =
        absl::StrCat("object ", view->plan.objects[i]);
  }
  if (absl::Status s = StackBands(&view->bands, &view->total_size); !s.ok()) {
    return s;
  }
  for (const size_t object : plan->object_ids) {
    view->offsets.push_back(view->bands[object].begin);
  }
  return absl::OkStatus();
}

absl::Status CheckLastTasks(const ProblemSpec& problem) {
  for (size_t i = 0; i < problem.records.size(); ++i) {
    if (problem.records[i].last_task < std::numeric_limits<TaskId>::max()) {
      continue;
    }
    return absl::OutOfRangeError(absl::StrCat(
        "tensor ",
        i < problem.names.size() ? problem.names[i] : absl::StrCat(i),
        ": it is live at task 2^64 - 1; expected an earlier last task"));
  }
  return absl::OkStatus();
}

void FillProfile(PlanView* view) {
  view->profile = ProfileOf(view->problem.records);
  for (const TaskBreadth& step : view->profile) {
    view->peak_breadth = std::max(view->peak_breadth, step.breadth);
  }
  for (const TaskBreadth& step : view->profile) {
    const bool is_peak = step.breadth == view->peak_breadth && step.breadth > 0;
    if (is_peak) view->peak_tasks.push_back(step.task);
  }
  for (const TensorUsageRecord<size_t>& record : view->problem.records) {
    view->task_count = std::max(view->task_count, record.last_task + 1);
  }
}

}  // namespace

absl::StatusOr<PlanView> ViewPlan(ProblemFile file, PlanCaption caption) {
  if (absl::Status s = CheckLastTasks(file.problem); !s.ok()) return s;
  PlanView view;
  view.caption = std::move(caption);
  view.problem = std::move(file.problem);
  view.plan = std::move(file.plan);
  const bool has_objects = !view.plan.objects.empty();
  view.kind = has_objects && view.plan.offsets.empty() ? PlanKind::kObjects
                                                       : PlanKind::kOffsets;
  view.problem.kind = view.kind;
  const absl::StatusOr<Problem> problem = Problem::Create(view.problem);
  if (!problem.ok()) return problem.status();
  absl::Status s = view.kind == PlanKind::kOffsets
                       ? ViewOffsets(*problem, &view)
                       : ViewObjects(&view);
  if (!s.ok()) return s;
  if (view.violation) {
    view.violation_text = Describe(*view.violation, *problem);
  }
  view.lower_bound = LowerBoundOf(*problem).bytes;
  view.bound_reason = Describe(LowerBoundOf(*problem).proof);
  if (view.caption.lower_bound &&
      *view.caption.lower_bound > view.lower_bound) {
    view.lower_bound = *view.caption.lower_bound;
    view.bound_reason = view.caption.bound_reason;
  }
  FillProfile(&view);
  return view;
}

}  // namespace stowage::views
