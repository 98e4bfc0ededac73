// Usage intervals in small numbers, so that task numbers cost nothing.
#ifndef STOWAGE_CORE_INTERVAL_RANKS_H_
#define STOWAGE_CORE_INTERVAL_RANKS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "stowage/profile.h"

namespace stowage {

// An interval of *steps*, where step k is the k-th distinct first task of all
// records: half-open and never empty. Two records conflict exactly when their
// steps intersect, because the later of two conflicting records begins at a
// step that both contain.
struct StepInterval {
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct IntervalRanks {
  std::vector<TaskId> tasks;            // the first task of every step, rising
  std::vector<StepInterval> intervals;  // one for every record
};

// O(n log n).
IntervalRanks RankIntervals(absl::Span<const ByteRecord> records);

}  // namespace stowage

#endif  // STOWAGE_CORE_INTERVAL_RANKS_H_
