// SPDX-License-Identifier: Apache-2.0
// Finds for each record of a stack the records on which it may lie.
#ifndef STOWAGE_SRC_DYNAMIC_STACK_EDGES_H_
#define STOWAGE_SRC_DYNAMIC_STACK_EDGES_H_

#include <cstdint>
#include <vector>

#include "src/base/containers.h"
#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage {

// Represents the lifetime of a record as a half-open range of ranks. The first
// tasks of all records have ranks in rising order. The range contains the ranks
// of those first tasks at which the record is live. Two records conflict if and
// only if their ranges share a rank: the record that begins later begins while
// the other one is live.
struct RankRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// Returns the range of each record.
std::vector<RankRange> RankRanges(Span<const ByteRecord> records);

// Keeps the records that can be seen from above a stack. A record can be seen
// at the ranks where no later record lies on it.
class StackSkyline {
 public:
  // Puts the record at `position` on the stack. Returns, in rising order, the
  // positions that could be seen at the ranks of the record before the call.
  std::vector<uint32_t> Put(uint32_t position, RankRange range);

  // Returns the positions that can be seen at these ranks, in the order of the
  // ranks. Sets *is_bare to true if there is a rank at which nothing lies.
  std::vector<uint32_t> Seen(RankRange range, bool* is_bare) const;

 private:
  struct Segment {
    uint32_t end = 0;
    uint32_t position = 0;
  };
  btree_map<uint32_t, Segment> segments_;  // by their first rank
};

// Removes a position from `below` if its record shares a rank with the record
// at a later position in the list.
void DropImplied(Span<const RankRange> ranges_by_position,
                 std::vector<uint32_t>* below);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_STACK_EDGES_H_
