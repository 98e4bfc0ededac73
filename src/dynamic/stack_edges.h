// SPDX-License-Identifier: Apache-2.0
// Finds, for each record of a stack, the records on top of which it may be
// placed.
#ifndef STOWAGE_SRC_DYNAMIC_STACK_EDGES_H_
#define STOWAGE_SRC_DYNAMIC_STACK_EDGES_H_

#include <cstdint>
#include <vector>

#include "src/base/containers.h"
#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage {

// The lifetime of a record as a half-open range of ranks. The distinct first
// tasks of all records are numbered by rank, in rising order; the range
// contains the ranks of the first tasks at which the record is live. Two
// records conflict if and only if their ranges share a rank, because the record
// that begins later begins while the earlier one is live.
struct RankRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// Returns the range of each record.
std::vector<RankRange> RankRanges(Span<const ByteRecord> records);

// The records of a stack that are visible from above. A record is visible at
// the ranks at which no later record is on top of it.
class StackSkyline {
 public:
  // Puts the record at `position` on the stack. Returns, in rising order, the
  // positions that were visible at the ranks in `range` before the call.
  std::vector<uint32_t> Put(uint32_t position, RankRange range);

  // Returns the positions that are visible at the ranks in `range`, in the
  // order of the ranks. Sets `*is_bare` to true if there is no record at one of
  // these ranks.
  std::vector<uint32_t> Seen(RankRange range, bool* is_bare) const;

 private:
  struct Segment {
    uint32_t end = 0;
    uint32_t position = 0;
  };
  btree_map<uint32_t, Segment> segments_;  // by their first rank
};

// Removes a position from `below` if its record shares a rank with the record
// at a position later in the list.
void DropImplied(Span<const RankRange> ranges_by_position,
                 std::vector<uint32_t>* below);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_STACK_EDGES_H_
