// SPDX-License-Identifier: Apache-2.0
// Keeps the records of the current stage that have no object yet, each with a
// lower bound of the distance to its nearest object. Finds the records that are
// closer to a new tensor than their bounds. FreeGaps (free_gaps.h) computes the
// distances themselves.
//
// Source: Bentley, "Multidimensional binary search trees used for associative
// searching" (1975). Each record is a point (first task, last task) of the
// tree. Only the bounds change after the tree has been built.
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_SIZE_WAITING_RECORDS_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_SIZE_WAITING_RECORDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "greedy_by_size/free_gaps.h"
#include "src/base/work_limit.h"
#include "stowage/base/span.h"
#include "stowage/profile.h"

namespace stowage::greedy_by_size {

class WaitingRecords {
 public:
  // Creates a state in which no record waits. `records` must outlive this
  // object. Prepare must be called before any other function.
  explicit WaitingRecords(Span<const ByteRecord> records);

  // Builds the tree. Returns false if the signal stops the work. O(n log n).
  bool Prepare(const StopSignal& stop);

  // Get and set the bound of a record. A record that does not wait has the
  // bound 0, which LowerBounds never changes, since no tensor is closer than 0.
  // BoundOf is O(1), and SetBound is O(log n).
  Distance BoundOf(size_t record) const { return bound_[position_[record]]; }
  void SetBound(size_t record, Distance bound);

  // Lowers the bound of every record that is within `gap`, does not conflict
  // with `added`, and has a bound above its distance to `added`. The new bound
  // is lower(record, distance). About O(log n) for each such record.
  template <typename Lower>
  void LowerBounds(const Gap& gap, const ByteRecord& added, Lower lower) {
    if (!records_.empty()) Visit(1, 0, leaves_, gap, added, lower);
  }

 private:
  // The maximum number of records in a leaf.
  static constexpr size_t kBlock = 8;
  // The number of leaves built between two checks of the signal.
  static constexpr size_t kLeavesPerPoll = 512;

  // The ranges of the first and last tasks of all records in a subtree, and the
  // greatest of their bounds.
  struct Node {
    TaskId least_first = 0;
    TaskId greatest_first = 0;
    TaskId least_last = 0;
    TaskId greatest_last = 0;
    Distance greatest_bound = 0;

    bool IsOutside(const Gap& gap) const {
      return (gap.before != nullptr &&
              greatest_first <= gap.before->last_task) ||
             (gap.after != nullptr && least_last >= gap.after->first_task);
    }
    // Returns a lower bound of the distance from `record` to any record of the
    // subtree, or kInfinite if all records of the subtree conflict with
    // `record`.
    Distance LeastDistance(const ByteRecord& record) const {
      if (least_first > record.last_task) {
        return least_first - record.last_task - 1;
      }
      if (greatest_last < record.first_task) {
        return record.first_task - greatest_last - 1;
      }
      const bool all_conflict =
          greatest_first <= record.last_task && least_last >= record.first_task;
      return all_conflict ? kInfinite : 0;
    }
  };

  static bool Within(const ByteRecord& record, const Gap& gap) {
    return (gap.before == nullptr ||
            gap.before->last_task < record.first_task) &&
           (gap.after == nullptr || record.last_task < gap.after->first_task);
  }

  size_t BlockBegin(size_t block) const {
    return records_.size() * block / leaves_;
  }

  // Sorts the records below `node` and sets the ranges of all nodes in the
  // subtree. The node covers the leaves [leaf, leaf + width). The levels of the
  // tree alternate between sorting by first task and sorting by last task.
  bool Build(const StopSignal& stop, size_t node, size_t leaf, size_t width,
             bool by_first);
  void SumUpLeaf(size_t node);
  void SumUpChildren(size_t node);

  // Applies LowerBounds to the records below a node.
  template <typename Lower>
  void Visit(size_t node, size_t leaf, size_t width, const Gap& gap,
             const ByteRecord& added, Lower& lower) {
    const Node& part = nodes_[node];
    if (part.greatest_bound <= part.LeastDistance(added) ||
        part.IsOutside(gap)) {
      return;
    }
    if (width > 1) {
      const size_t half = width / 2;
      Visit(2 * node, leaf, half, gap, added, lower);
      Visit(2 * node + 1, leaf + half, half, gap, added, lower);
      SumUpChildren(node);
      return;
    }
    for (size_t p = BlockBegin(leaf); p < BlockBegin(leaf + 1); ++p) {
      const ByteRecord& record = records_[record_[p]];
      if (!Within(record, gap) || Conflict(record, added)) continue;
      const Distance distance = Between(record, added);
      if (distance < bound_[p]) {
        bound_[p] = lower(size_t{record_[p]}, distance);
      }
    }
    SumUpLeaf(node);
  }

  Span<const ByteRecord> records_;
  std::vector<uint32_t> record_;    // is indexed by position in the tree
  std::vector<uint32_t> position_;  // is indexed by record
  std::vector<Distance> bound_;     // is indexed by position
  std::vector<Node> nodes_;         // node k has children 2k and 2k + 1
  size_t leaves_ = 1;
};

}  // namespace stowage::greedy_by_size

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_SIZE_WAITING_RECORDS_H_
