// SPDX-License-Identifier: Apache-2.0
// Defines mutants with bugs in the intervals that determine which records are
// live at the same time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/usage_record.h"
#include "tests/testing/mutants.h"
#include "tests/testing/mutants_steps.h"

namespace stowage::testing {
namespace {

// Returns a mutant of best fit that uses `conflicts` to find conflicts.
OffsetsMutant Conflicting(std::string name, std::string bug,
                          bool (*conflicts)(const Record&, const Record&)) {
  return Altered(
      std::move(name), std::move(bug), BestFitSteps(),
      [conflicts](BestFitSteps* steps) { steps->conflicts = conflicts; });
}

// Returns whether the intervals [a_first, a_last] and [b_first, b_last] have a
// task in common.
template <typename Task>
bool Meet(Task a_first, Task a_last, Task b_first, Task b_last) {
  return a_first <= b_last && b_first <= a_last;
}

template <typename Task>
bool ConflictAs(const Record& a, const Record& b) {
  return Meet(static_cast<Task>(a.first_task), static_cast<Task>(a.last_task),
              static_cast<Task>(b.first_task), static_cast<Task>(b.last_task));
}

std::vector<OffsetsMutant> MutantsOfEnds() {
  return {
      Conflicting("touching_shared",
                  "compares ends with < where both are inclusive: tensors that "
                  "touch at a task share bytes",
                  [](const Record& a, const Record& b) {
                    return a.first_task < b.last_task &&
                           b.first_task < a.last_task;
                  }),
      Conflicting("last_task_left_out",
                  "takes the last task for one past the last",
                  [](const Record& a, const Record& b) {
                    const auto last = [](const Record& r) {
                      return std::max(r.first_task + 1, r.last_task) - 1;
                    };
                    return Meet(a.first_task, last(a), b.first_task, last(b));
                  }),
      Conflicting("first_task_left_out",
                  "takes memory one task late, when its writer has run",
                  [](const Record& a, const Record& b) {
                    const auto first = [](const Record& r) {
                      return std::min(r.first_task, r.last_task - 1) + 1;
                    };
                    return Meet(first(a), a.last_task, first(b), b.last_task);
                  }),
      Conflicting(
          "unused_output_forgotten",
          "has no memory for a tensor of one task: it is not read, but it "
          "is written",
          [](const Record& a, const Record& b) {
            return a.first_task < a.last_task && b.first_task < b.last_task &&
                   Conflict(a, b);
          }),
      Conflicting("task_0_is_none",
                  "takes task 0 for \"not set\", and forgets tensors that are "
                  "there from the start",
                  [](const Record& a, const Record& b) {
                    return a.first_task != 0 && b.first_task != 0 &&
                           Conflict(a, b);
                  }),
  };
}

std::vector<OffsetsMutant> MutantsOfWhole() {
  return {
      Conflicting("tasks_in_16_bits", "keeps tasks in 16 bits",
                  ConflictAs<uint16_t>),
      Conflicting("tasks_in_32_bits", "keeps tasks in 32 bits",
                  ConflictAs<uint32_t>),
      Conflicting("task_table_too_short",
                  "marks tasks in a table of 1024, and nothing beyond",
                  [](const Record& a, const Record& b) {
                    return Conflict(a, b) &&
                           std::max(a.first_task, b.first_task) < 1024;
                  }),
      Conflicting(
          "same_interval_once",
          "keeps tensors by interval, so that of two with the same only "
          "one is seen",
          [](const Record& a, const Record& b) {
            return Conflict(a, b) &&
                   (a.first_task != b.first_task || a.last_task != b.last_task);
          }),
      Conflicting("covering_interval_missed",
                  "asks whether an end of the new interval lies in the other, "
                  "and misses one that covers the other",
                  [](const Record& a, const Record& b) {
                    const auto in_b = [&](TaskId task) {
                      return b.first_task <= task && task <= b.last_task;
                    };
                    return in_b(a.first_task) || in_b(a.last_task);
                  }),
      Conflicting(
          "live_at_the_start_only",
          "asks which tensors are live when the new one begins, which is "
          "enough in execution order but not by size",
          [](const Record& a, const Record& b) {
            return b.first_task <= a.first_task && a.first_task <= b.last_task;
          }),
      Conflicting("in_place_though_used_again",
                  "puts an output in the place of a tensor of the same size, "
                  "whether or not that is still used",
                  [](const Record& a, const Record& b) {
                    return Conflict(a, b) && (a.tensor_size != b.tensor_size ||
                                              a.first_task == b.first_task);
                  }),
      Conflicting("last_task_of_all_is_never_over",
                  "ends at 2^64 - 1 tasks, where adding one gives 0",
                  [](const Record& a, const Record& b) {
                    return a.first_task < b.last_task + 1 &&
                           b.first_task < a.last_task + 1;
                  }),
  };
}

// Returns a plan that alternates between two buffers, which is sufficient for a
// chain of operators. If a residual connection still needs a tensor, the tensor
// after the next one overwrites it.
absl::StatusOr<OffsetsAssignment> InTurns(Records records,
                                          const Alignments& alignments) {
  OffsetsAssignment plan;
  plan.offsets.assign(records.size(), 0);
  const Order order = ByFirstTask(records);
  size_t even = 0;
  size_t alignment = 1;
  for (size_t k = 0; k < order.size(); ++k) {
    alignment = std::max(alignment, alignments.Of(order[k]));
    if (k % 2 == 0) even = std::max(even, records[order[k]].tensor_size);
  }
  const absl::optional<size_t> second = CheckedAlignUp(even, alignment);
  if (!second) return absl::OutOfRangeError("the second buffer is beyond 2^64");
  for (size_t k = 0; k < order.size(); ++k) {
    if (k % 2 == 1) plan.offsets[order[k]] = *second;
    const absl::optional<size_t> end =
        CheckedAdd(plan.offsets[order[k]], records[order[k]].tensor_size);
    if (!end) return absl::OutOfRangeError("a buffer ends beyond 2^64");
    plan.total_size = std::max(plan.total_size, *end);
  }
  return plan;
}

}  // namespace

std::vector<OffsetsMutant> IntervalMutants() {
  std::vector<OffsetsMutant> mutants = MutantsOfEnds();
  for (OffsetsMutant& mutant : MutantsOfWhole()) {
    mutants.push_back(std::move(mutant));
  }
  mutants.push_back(Wrapped(
      "two_buffers_in_turns", "plans for a chain, whatever else needs a tensor",
      BestFitSteps(), [](const PlanFn&) -> PlanFn { return InTurns; }));
  return mutants;
}

}  // namespace stowage::testing
