// SPDX-License-Identifier: Apache-2.0
// Keeps a timeline for each shared object, from which it computes when an
// object is free, and which free object is nearest in time to a record. To find
// the records that are near to a new tensor, use WaitingRecords
// (waiting_records.h).
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_SIZE_FREE_GAPS_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_SIZE_FREE_GAPS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/base/containers.h"
#include "src/base/range_tree.h"
#include "src/base/work_limit.h"
#include "stowage/base/span.h"
#include "stowage/profile.h"

namespace stowage::greedy_by_size {

// The number of tasks between two usage intervals: the first task of the later
// interval minus the last task of the earlier one, minus one. The smallest
// distance between two records that do not conflict is 0.
using Distance = size_t;
inline constexpr Distance kInfinite = std::numeric_limits<Distance>::max();

inline Distance Between(const ByteRecord& a, const ByteRecord& b) {
  return a.last_task < b.first_task ? b.first_task - a.last_task - 1
                                    : a.first_task - b.last_task - 1;
}

// A range of tasks in which an object is free, between the tensors `before` and
// `after` of the object. A pointer is null if no tensor is on that side.
struct Gap {
  const ByteRecord* before = nullptr;
  const ByteRecord* after = nullptr;
};

class FreeGaps {
 public:
  // Creates a state without objects, in which no record is assigned. `records`
  // must outlive this object. Prepare must be called before any other function.
  explicit FreeGaps(Span<const ByteRecord> records);

  // Sorts the records. Returns false if the signal stops the work. O(n log n).
  bool Prepare(const StopSignal& stop);

  // Adds an object without tensors. The ids of objects count up from 0.
  void AddObject() { timelines_.emplace_back(); }

  // Assigns `record` to an object, and returns the gap that the record splits.
  // Requires that the object is free for the record. O(log n).
  Gap Assign(size_t record, size_t object);

  // Returns the distance from `record` to the closest tensor among the objects
  // that are free during `record`, or kInfinite if there is no such tensor.
  // O(log n).
  Distance NearestDistance(size_t record) const;

  // Returns the object to which `record` should be assigned. Requires that
  // `distance` is the result of NearestDistance for the record. If several
  // objects are at this distance, returns the one that the original strategy
  // would choose. The choice depends on the order of the assignments, because
  // that strategy updates the nearest object of every record after each
  // assignment. O(log n + w log w), where w is the number of tensors that
  // conflict with the record or are within `distance` of it.
  size_t NearestObject(size_t record, Distance distance) const;

 private:
  // Describes the assigned tensors in one direction of time. An *edge* is the
  // end of a tensor after which a gap may begin. The edges of all records are
  // sorted, and the *position* of a record is the index of its edge in this
  // order. The *reach* of a gap is the number of edges before the tensor that
  // ends the gap. A gap that begins before a record is free for the record iff
  // the position of the record is less than the reach of the gap.
  struct Side {
    explicit Side(size_t size) : position(size), ahead(size), reach(size) {}

    std::vector<uint32_t> by_edge;   // the records by edge
    std::vector<uint32_t> position;  // the index in by_edge of each record
    // For each record, the number of edges before the start of the record.
    std::vector<uint32_t> ahead;
    // The reach of the gap at each position, or 0 for a record without an
    // object.
    BestOfRange<uint32_t> reach;
  };

  // The effect on one record of assigning some tensor.
  struct Event {
    uint32_t time = 0;  // see time_of_
    size_t object = 0;
    // The distance between the record and the tensor, or kInfinite if they
    // conflict.
    Distance distance = 0;
  };

  size_t IndexOf(const ByteRecord* record) const {
    return static_cast<size_t>(record - records_.data());
  }
  // Returns the reach of a gap that ends at `record`, or of an unlimited gap if
  // `record` is null.
  uint32_t Reach(const Side& side, const ByteRecord* record) const;
  // Returns the distance from `record` to the closest edge of a gap that is
  // free for the record.
  Distance NearestEdge(const Side& side, size_t record) const;
  // Adds the events of all tensors on one side at a distance of at most
  // `distance`.
  void AddNearby(const Side& side, size_t record, Distance distance,
                 std::vector<Event>* events) const;
  // For each object among the events, adds the event that first blocked the
  // object.
  void AddBlocking(size_t record, std::vector<Event>* events) const;

  Span<const ByteRecord> records_;
  std::vector<btree_map<TaskId, const ByteRecord*>> timelines_;
  std::vector<uint32_t> object_of_;  // is indexed by record
  // The number of assignments before that of each record.
  std::vector<uint32_t> time_of_;
  uint32_t assigned_ = 0;
  Side forward_;   // gaps after a tensor; edges are last tasks, rising
  Side backward_;  // gaps before a tensor; edges are first tasks, falling
};

}  // namespace stowage::greedy_by_size

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_SIZE_FREE_GAPS_H_
