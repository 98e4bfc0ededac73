// SPDX-License-Identifier: Apache-2.0
#include "src/construct/conflict_index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "stowage/base/span.h"

namespace stowage {

ConflictIndex::ConflictIndex(Span<const StepInterval> intervals)
    : intervals_(intervals),
      records_(intervals.size()),
      position_(intervals.size()) {
  uint32_t steps = 0;
  for (const StepInterval& interval : intervals) {
    steps = std::max(steps, interval.end);
  }
  // A counting sort, which preserves the order of records that begin at the
  // same step.
  begun_before_.assign(size_t{steps} + 1, 0);
  for (const StepInterval& i : intervals) ++begun_before_[i.begin + 1];
  std::partial_sum(begun_before_.begin(), begun_before_.end(),
                   begun_before_.begin());
  std::vector<uint32_t> next = begun_before_;
  for (uint32_t record = 0; record < intervals.size(); ++record) {
    position_[record] = next[intervals[record].begin]++;
    records_[position_[record]] = record;
  }
  size_t entries = intervals.size();
  do {
    entries = (entries + kFanOut - 1) / kFanOut;
    latest_.emplace_back(std::max(entries, size_t{1}) * kFanOut, kAbsent);
  } while (entries > 1);
}

void ConflictIndex::Insert(size_t record) {
  size_t entry = position_[record];
  for (std::vector<uint32_t>& latest : latest_) {
    latest[entry] = std::max(latest[entry], intervals_[record].end);
    entry /= kFanOut;
  }
}

}  // namespace stowage
