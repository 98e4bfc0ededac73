// SPDX-License-Identifier: Apache-2.0
// Describes usage intervals as ranges of steps. Step k is the k-th distinct
// first task of all records. No record begins between two steps, so every
// record that is live between them is also live at the earlier step. Therefore
// two records are live at the same task if and only if their ranges intersect.
#ifndef STOWAGE_SRC_EXPLAIN_STEPS_H_
#define STOWAGE_SRC_EXPLAIN_STEPS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"

namespace stowage::views {

// A half-open range of steps, which is never empty.
struct StepRange {
  size_t begin = 0;
  size_t end = 0;
};

struct Steps {
  std::vector<TaskId> tasks;      // has one task for each step, in rising order
  std::vector<size_t> breadths;   // the bytes that are live at each step
  std::vector<StepRange> ranges;  // is indexed by record
};

// Returns the steps of `records`, and the range of each record. O(n log n).
Steps StepsOf(absl::Span<const ByteRecord> records);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_EXPLAIN_STEPS_H_
