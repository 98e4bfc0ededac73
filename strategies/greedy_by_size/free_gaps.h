// SPDX-License-Identifier: Apache-2.0
// The timelines of the shared objects: where each is free, and which free one
// is nearest to a record.
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_SIZE_FREE_GAPS_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_SIZE_FREE_GAPS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/types/span.h"
#include "greedy_by_size/maximum_tree.h"
#include "src/core/work_limit.h"
#include "stowage/profile.h"

namespace stowage::greedy_by_size {

// Tasks between two usage intervals: the first task of the later less the last
// task of the earlier, less one. 0 is as close as two that do not conflict can
// be.
using Distance = size_t;
inline constexpr Distance kInfinite = std::numeric_limits<Distance>::max();

inline Distance Between(const ByteRecord& a, const ByteRecord& b) {
  return a.last_task < b.first_task ? b.first_task - a.last_task - 1
                                    : a.first_task - b.last_task - 1;
}

// A stretch of tasks in which an object is free, from the tensor before it to
// the tensor after it; null where there is none.
struct Gap {
  const ByteRecord* before = nullptr;
  const ByteRecord* after = nullptr;
};

class FreeGaps {
 public:
  // No record is assigned and no object exists. `records` must outlive this,
  // and Prepare comes before any other call.
  explicit FreeGaps(absl::Span<const ByteRecord> records);

  // Sorts the records. Returns whether that is done: false if the signal is
  // set. O(n log n).
  bool Prepare(const StopSignal& stop);

  // Adds an object without tensors; ids count from 0.
  void AddObject() { timelines_.emplace_back(); }

  // Assigns `record` to an object that is free for it, and returns the gap
  // that it has split. O(log n).
  Gap Assign(size_t record, size_t object);

  // From `record` to the closest tensor of any object that is free for it;
  // infinite if none is. O(log n).
  Distance NearestDistance(size_t record) const;

  // The object that `record` goes to, which has `distance` as its nearest: of
  // several such objects, the one that the strategy has held on to while
  // assigning the others. O(log n + w log w) for w tensors within that distance
  // or in conflict.
  size_t NearestObject(size_t record, Distance distance) const;

 private:
  // The tensors assigned so far, seen in one direction of time: an *edge* is
  // the end of a tensor behind which a gap may begin, and the *reach* of a gap
  // is how many edges of all records lie before the tensor that closes it. So
  // a gap is free for a record exactly when the record's own edge is among
  // them: when its position is less than the reach.
  struct Side {
    explicit Side(size_t size) : position(size), ahead(size), reach(size) {}

    std::vector<uint32_t> by_edge;   // records, in order of their edges
    std::vector<uint32_t> position;  // of every record in by_edge
    std::vector<uint32_t> ahead;     // of every record: edges before it begins
    MaximumTree reach;               // by position; 0 before it is assigned
  };

  // What the assignment of a tensor has meant for one record.
  struct Event {
    uint32_t time = 0;  // as in time_of_
    size_t object = 0;
    Distance distance = 0;  // infinite: the two conflict
  };

  size_t IndexOf(const ByteRecord* record) const {
    return static_cast<size_t>(record - records_.data());
  }
  // The reach of the gap that `record` closes, or of one that nothing closes.
  uint32_t Reach(const Side& side, const ByteRecord* record) const;
  // From `record` to the closest edge of a gap that is free for it.
  Distance NearestEdge(const Side& side, size_t record) const;
  // Adds the events of the tensors on one side, up to `distance` away.
  void AddNearby(const Side& side, size_t record, Distance distance,
                 std::vector<Event>* events) const;
  // Adds, for each object among the events, when it was first blocked.
  void AddBlocking(size_t record, std::vector<Event>* events) const;

  absl::Span<const ByteRecord> records_;
  std::vector<absl::btree_map<TaskId, const ByteRecord*>> timelines_;
  std::vector<uint32_t> object_of_;  // by record
  std::vector<uint32_t> time_of_;    // by record: how many came before it
  uint32_t assigned_ = 0;
  Side forward_;   // gaps after a tensor: edges are last tasks, rising
  Side backward_;  // gaps before one: edges are first tasks, falling
};

}  // namespace stowage::greedy_by_size

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_SIZE_FREE_GAPS_H_
