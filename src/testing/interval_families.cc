// SPDX-License-Identifier: Apache-2.0
// Families of intervals on which planners fail.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "src/testing/family_row.h"
#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

// Returns records with only four different intervals. The first and the last of
// these intervals do not intersect.
ProblemSpec IdenticalIntervals(absl::Span<const Draw> draws,
                               const Parameters& parameters) {
  SpecBuilder builder(parameters);
  for (const Draw& draw : draws) {
    const TaskId first = draw.kind * 2;
    builder.Add(draw, BytesOf(draw), first, first + 4);
  }
  builder.SortByFirstTask();
  return std::move(builder).Finish();
}

Draw IdenticalIntervalsLimits(const Parameters& parameters) {
  return UsualLimits(parameters, 4);
}

// Returns records each of which begins at the task at which some earlier record
// ends, or at the next task.
ProblemSpec TouchingIntervals(absl::Span<const Draw> draws,
                              const Parameters& parameters) {
  SpecBuilder builder(parameters);
  std::vector<TaskId> lasts;
  for (const Draw& draw : draws) {
    TaskId first = 0;
    if (!lasts.empty()) {
      const size_t back = draw.gap % lasts.size();
      first = AddTasks(lasts[lasts.size() - 1 - back], draw.kind);
    }
    lasts.push_back(AddTasks(first, draw.life));
    builder.Add(draw, BytesOf(draw), first, lasts.back());
  }
  builder.SortByFirstTask();
  return std::move(builder).Finish();
}

Draw TouchingIntervalsLimits(const Parameters& parameters) {
  Draw limits = UsualLimits(parameters, 2);
  limits.gap = 8;
  return limits;
}

ProblemSpec OnePerTask(absl::Span<const Draw> draws,
                       const Parameters& parameters) {
  SpecBuilder builder(parameters);
  for (size_t i = 0; i < draws.size(); ++i) {
    builder.Add(draws[i], BytesOf(draws[i]), i, i);
  }
  return std::move(builder).Finish();
}

// Returns records each of which is near the record before it or far from it. A
// record is live for a few tasks, for many tasks, or until the largest possible
// task.
ProblemSpec FarTasks(absl::Span<const Draw> draws,
                     const Parameters& parameters) {
  SpecBuilder builder(parameters);
  TaskId first = 0;
  for (const Draw& draw : draws) {
    const bool begins_far = (draw.kind & 1) != 0;
    const bool is_long = (draw.kind & 2) != 0;
    first = AddTasks(first, begins_far ? draw.gap : draw.gap % 3);
    TaskId length = is_long ? draw.life : draw.life % 3;
    if (length >> 55 != 0) length = std::numeric_limits<TaskId>::max();
    builder.Add(draw, BytesOf(draw), first, AddTasks(first, length));
  }
  return std::move(builder).Finish();
}

Draw FarTasksLimits(const Parameters& parameters) {
  Draw limits = UsualLimits(parameters, 4);
  limits.gap = uint64_t{1} << 56;
  limits.life = uint64_t{1} << 56;
  return limits;
}

ProblemSpec Unsorted(absl::Span<const Draw> draws,
                     const Parameters& parameters) {
  SpecBuilder builder(parameters);
  for (const Draw& draw : draws) {
    builder.Add(draw, BytesOf(draw), draw.gap, AddTasks(draw.gap, draw.life));
  }
  return std::move(builder).Finish();
}

Draw UnsortedLimits(const Parameters& parameters) {
  Draw limits = UsualLimits(parameters);
  limits.gap = 40;
  return limits;
}

// Returns a network whose tensors have been put in another order, as a later
// pass of a compiler may do.
ProblemSpec Permuted(absl::Span<const Draw> draws,
                     const Parameters& parameters) {
  SpecBuilder builder = BuildNetwork(draws, parameters);
  std::vector<size_t> order(builder.records().size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = 1; i < order.size(); ++i) {
    const size_t back = (draws[i % draws.size()].gap + i) % (i + 1);
    const bool stays = draws[i % draws.size()].gap == 0;
    if (!stays) std::swap(order[i], order[i - back]);
  }
  builder.Reorder(order);
  return std::move(builder).Finish();
}

}  // namespace

absl::Span<const FamilyRow> IntervalFamilies() {
  static constexpr FamilyRow kRows[] = {
      {{Family::kIdenticalIntervals, "identical_intervals",
        "four intervals for all: ties in every order by time"},
       &IdenticalIntervalsLimits,
       &IdenticalIntervals},
      {{Family::kTouchingIntervals, "touching_intervals",
        "each tensor begins at the task at which another ends, or at the next: "
        "off by one at either end"},
       &TouchingIntervalsLimits,
       &TouchingIntervals},
      {{Family::kOnePerTask, "one_per_task",
        "one tensor at each task, and no conflict at all: memory that is never "
        "freed"},
       &OneKind,
       &OnePerTask},
      {{Family::kFarTasks, "far_tasks",
        "tasks up to 2^64 - 1, far apart: arrays over all tasks, sums of tasks "
        "that wrap"},
       &FarTasksLimits,
       &FarTasks},
      {{Family::kUnsorted, "unsorted",
        "intervals in no order: planners that assume execution order",
        /*in_execution_order=*/false},
       &UnsortedLimits,
       &Unsorted},
      {{Family::kPermuted, "permuted",
        "a network whose tensors come in another order: sorted records with "
        "places in the order of the input",
        /*in_execution_order=*/false},
       &NetworkLimits,
       &Permuted},
  };
  return kRows;
}

}  // namespace stowage::testing
