// The constructive planners, one after the other.
#ifndef STOWAGE_CORE_CONSTRUCT_H_
#define STOWAGE_CORE_CONSTRUCT_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/types/span.h"
#include "src/core/interval_ranks.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"

namespace stowage {

// All records on top of each other: no gap is longer than a padding. O(n).
OffsetsAssignment StackAll(absl::Span<const ByteRecord> records,
                           const Alignments& alignments);

// How plans are constructed: measured, and the same for all strategies.
struct ConstructTuning {
  // Orders of the stack at the peak that are swept, of those that there are.
  size_t sweeps = 4;
  // Orders that are dived in, of those that there are.
  size_t dives = 6;
  // Looks at each record that a dive may cost. Some orders look a thousand
  // times at a record, and have never gained anything by it.
  uint64_t looks_per_record = 256;
  // Looks that a dive may cost for any number of records, if no more than
  // few_looks at each.
  uint64_t looks_per_dive = uint64_t{6} << 20;
  // Looks at each record that are no waste for any number of them.
  uint64_t few_looks = 32;
};

// What construction may cost.
struct ConstructEffort {
  // Looks at records in all dives. Those that come last go without.
  uint64_t looks = 0;
  const StopSignal* stop = nullptr;  // not owned; null for none
  size_t threads = 1;
  ConstructTuning tuning;
  std::function<void()>
      improved;  // called with every smaller plan; may be null
};

// Replaces `best` by smaller plans, of sweeps from the peak (peak_sweep.h) and
// dives in the skyline (skyline_dive.h) in several orders, until one has
// `enough` bytes or less or all have been tried. Unless it is stopped, the plan
// is the same for any number of threads. Sizes and paddings must fit 64 bits in
// sum. O(n) memory for each thread.
void Construct(absl::Span<const ByteRecord> records, const IntervalRanks& ranks,
               const Alignments& alignments, size_t enough,
               const ConstructEffort& effort, OffsetsAssignment* best);

}  // namespace stowage

#endif  // STOWAGE_CORE_CONSTRUCT_H_
