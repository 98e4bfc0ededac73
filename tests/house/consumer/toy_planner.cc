// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>

#include "stowage/testing/find_failure.h"

// A simple planner: each tensor is placed on top of those before it that are
// live at the same time.
absl::StatusOr<stowage::OffsetsAssignment> ToyPlan(
    absl::Span<const stowage::TensorUsageRecord<size_t>> records,
    const stowage::Alignments& alignments) {
  stowage::OffsetsAssignment plan;
  for (size_t i = 0; i < records.size(); ++i) {
    size_t floor = 0;
    for (size_t j = 0; j < i; ++j) {
      const bool conflict = records[j].first_task < records[i].last_task &&
                            records[i].first_task < records[j].last_task;
      if (!conflict) continue;
      floor = std::max(floor, plan.offsets[j] + records[j].tensor_size);
    }
    const auto offset = stowage::CheckedAlignUp(floor, alignments.Of(i));
    const auto end =
        offset ? stowage::CheckedAdd(*offset, records[i].tensor_size) : offset;
    if (!end) return absl::OutOfRangeError("the arena passes 2^64 - 1 bytes");
    plan.offsets.push_back(*offset);
    plan.total_size = std::max(plan.total_size, *end);
  }
  return plan;
}

int main() {
  const auto failure = stowage::testing::FindFailure(ToyPlan);
  if (!failure) {
    std::cout << "no failure in 2000 traces\n";
    return 0;
  }
  std::cout << Describe(*failure);
  // Prints the trace, to be attached to a report. Every verb of the command
  // reads this format.
  const auto trace =
      stowage::FormatProblemCsv(stowage::testing::ToFile(failure->asked));
  if (trace.ok()) std::cout << "\n" << *trace;
  return 1;
}
