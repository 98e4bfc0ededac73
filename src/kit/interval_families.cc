// SPDX-License-Identifier: Apache-2.0
// Defines families of intervals that make planners fail.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "src/kit/family_row.h"
#include "stowage/base/span.h"
#include "stowage/testing/families.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

// Returns records with only four distinct intervals, of which the first and the
// last do not intersect.
ProblemSpec IdenticalIntervals(Span<const Sample> samples,
                               const Parameters& parameters) {
  SpecBuilder builder(parameters);
  for (const Sample& sample : samples) {
    const TaskId first = sample.kind * 2;
    builder.Add(sample, BytesOf(sample), first, first + 4);
  }
  builder.SortByFirstTask();
  return std::move(builder).Finish();
}

Sample IdenticalIntervalsLimits(const Parameters& parameters) {
  return UsualLimits(parameters, 4);
}

// Returns records that touch: each record begins at the last task of an earlier
// record, or one task later.
ProblemSpec TouchingIntervals(Span<const Sample> samples,
                              const Parameters& parameters) {
  SpecBuilder builder(parameters);
  std::vector<TaskId> lasts;
  for (const Sample& sample : samples) {
    TaskId first = 0;
    if (!lasts.empty()) {
      const size_t back = sample.gap % lasts.size();
      first = AddTasks(lasts[lasts.size() - 1 - back], sample.kind);
    }
    lasts.push_back(AddTasks(first, sample.life));
    builder.Add(sample, BytesOf(sample), first, lasts.back());
  }
  builder.SortByFirstTask();
  return std::move(builder).Finish();
}

Sample TouchingIntervalsLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(parameters, 2);
  limits.gap = 8;
  return limits;
}

ProblemSpec OnePerTask(Span<const Sample> samples,
                       const Parameters& parameters) {
  SpecBuilder builder(parameters);
  for (size_t i = 0; i < samples.size(); ++i) {
    builder.Add(samples[i], BytesOf(samples[i]), i, i);
  }
  return std::move(builder).Finish();
}

// Returns records with tasks that are close together or far apart. Each record
// begins a few or many tasks after the previous record, and is live for a few
// tasks, for many tasks, or until the largest possible task.
ProblemSpec FarTasks(Span<const Sample> samples, const Parameters& parameters) {
  SpecBuilder builder(parameters);
  TaskId first = 0;
  for (const Sample& sample : samples) {
    const bool begins_far = (sample.kind & 1) != 0;
    const bool is_long = (sample.kind & 2) != 0;
    first = AddTasks(first, begins_far ? sample.gap : sample.gap % 3);
    TaskId length = is_long ? sample.life : sample.life % 3;
    if (length >> 55 != 0) length = std::numeric_limits<TaskId>::max();
    builder.Add(sample, BytesOf(sample), first, AddTasks(first, length));
  }
  return std::move(builder).Finish();
}

Sample FarTasksLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(parameters, 4);
  limits.gap = uint64_t{1} << 56;
  limits.life = uint64_t{1} << 56;
  return limits;
}

ProblemSpec Unsorted(Span<const Sample> samples, const Parameters& parameters) {
  SpecBuilder builder(parameters);
  for (const Sample& sample : samples) {
    builder.Add(sample, BytesOf(sample), sample.gap,
                AddTasks(sample.gap, sample.life));
  }
  return std::move(builder).Finish();
}

Sample UnsortedLimits(const Parameters& parameters) {
  Sample limits = UsualLimits(parameters);
  limits.gap = 40;
  return limits;
}

// Returns the tensors of a network in a different order, such as a later pass
// of a compiler may produce.
ProblemSpec Permuted(Span<const Sample> samples, const Parameters& parameters) {
  SpecBuilder builder = BuildNetwork(samples, parameters);
  std::vector<size_t> order(builder.records().size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = 1; i < order.size(); ++i) {
    const size_t back = (samples[i % samples.size()].gap + i) % (i + 1);
    const bool stays = samples[i % samples.size()].gap == 0;
    if (!stays) std::swap(order[i], order[i - back]);
  }
  builder.Reorder(order);
  return std::move(builder).Finish();
}

}  // namespace

Span<const FamilyRow> IntervalFamilies() {
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
