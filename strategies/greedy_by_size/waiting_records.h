// The records that have no object yet, each with the distance of its nearest
// one, searched for those that a step of the strategy concerns.
//
// Source: Bentley, "Multidimensional binary search trees used for associative
// searching" (1975): records are points (first task, last task), and the tree
// over them is static but for the distances.
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_SIZE_WAITING_RECORDS_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_SIZE_WAITING_RECORDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "greedy_by_size/free_gaps.h"
#include "stowage/profile.h"

namespace stowage::greedy_by_size {

class WaitingRecords {
 public:
  // All records wait, at infinite distance. `records` must outlive this.
  // O(n log n).
  explicit WaitingRecords(absl::Span<const ByteRecord> records);

  bool IsWaiting(size_t record) const { return waiting_[position_[record]]; }
  Distance DistanceOf(size_t record) const {
    return distance_[position_[record]];
  }

  // O(log n) each.
  void SetDistance(size_t record, Distance distance);
  void Remove(size_t record);

  // Of the records that wait and lie within `gap` without conflicting with
  // `added`, lowers the distance of each that is closer to `added` than its
  // distance says, and calls lowered(record, distance).
  template <typename Lowered>
  void LowerDistances(const Gap& gap, const ByteRecord& added,
                      Lowered lowered) {
    if (records_.empty()) return;
    const auto visit = [&](size_t p) {
      const ByteRecord& record = records_[record_[p]];
      if (!Within(record, gap) || Conflict(record, added)) return;
      const Distance distance = Between(record, added);
      if (distance >= distance_[p]) return;
      distance_[p] = distance;
      lowered(size_t{record_[p]}, distance);
    };
    const auto prune = [&](const Node& node) {
      return node.IsOutside(gap) || node.farthest <= node.LeastDistance(added);
    };
    Visit(1, 0, leaves_, prune, visit, /*changes=*/true);
  }

  // Calls found(record) for each record that waits, lies within `gap` and
  // conflicts with `added`.
  template <typename Found>
  void ForEachConflict(const Gap& gap, const ByteRecord& added, Found found) {
    if (records_.empty()) return;
    const auto visit = [&](size_t p) {
      const ByteRecord& record = records_[record_[p]];
      if (waiting_[p] && Within(record, gap) && Conflict(record, added)) {
        found(size_t{record_[p]});
      }
    };
    const auto prune = [&](const Node& node) {
      return node.waiting == 0 || node.IsOutside(gap) ||
             node.IsApartFrom(added);
    };
    Visit(1, 0, leaves_, prune, visit, /*changes=*/false);
  }

 private:
  static constexpr size_t kBlock = 8;  // records under one leaf, at most

  // What is known of all records in a part of the tree. The bounds count
  // records that no longer wait, the rest does not.
  struct Node {
    TaskId least_first = 0;
    TaskId greatest_first = 0;
    TaskId least_last = 0;
    TaskId greatest_last = 0;
    Distance farthest = kInfinite;
    size_t waiting = 0;

    bool IsOutside(const Gap& gap) const {
      return (gap.before != nullptr &&
              greatest_first <= gap.before->last_task) ||
             (gap.after != nullptr && least_last >= gap.after->first_task);
    }
    bool IsApartFrom(const ByteRecord& record) const {
      return greatest_last < record.first_task ||
             least_first > record.last_task;
    }
    // No record here is closer; infinite if all of them conflict.
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

  // Orders the records under a node of `width` leaves from `leaf` on by
  // alternating coordinates, and sums them up.
  void Build(size_t node, size_t leaf, size_t width, bool by_first);
  void SumUpLeaf(size_t node);
  void SumUpChildren(size_t node);
  void SumUpPath(size_t position);

  // Calls visit(position) for all positions under a node except where
  // prune(node) holds; `changes` says whether that may change distances.
  template <typename Prune, typename VisitPosition>
  void Visit(size_t node, size_t leaf, size_t width, const Prune& prune,
             const VisitPosition& visit, bool changes) {
    if (prune(nodes_[node])) return;
    if (width == 1) {
      for (size_t p = BlockBegin(leaf); p < BlockBegin(leaf + 1); ++p) {
        visit(p);
      }
      if (changes) SumUpLeaf(node);
      return;
    }
    Visit(2 * node, leaf, width / 2, prune, visit, changes);
    Visit(2 * node + 1, leaf + width / 2, width / 2, prune, visit, changes);
    if (changes) SumUpChildren(node);
  }

  absl::Span<const ByteRecord> records_;
  std::vector<uint32_t> record_;    // by position in the tree
  std::vector<uint32_t> position_;  // by record
  std::vector<Distance> distance_;  // by position; 0 when it waits no longer
  std::vector<bool> waiting_;       // by position
  std::vector<Node> nodes_;         // node k has children 2k and 2k + 1
  size_t leaves_ = 1;
};

}  // namespace stowage::greedy_by_size

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_SIZE_WAITING_RECORDS_H_
