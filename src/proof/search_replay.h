// SPDX-License-Identifier: Apache-2.0
// Replays, step by step and in bytes and tasks, the proof that records do not
// fit within a capacity. The replay is independent of the search that found the
// proof, and does not trust the log, which BoundOfSearchLog (search_log.h)
// reads.
//
// Suppose that a plan fits. Among all plans that fit, take one with the least
// sum of offsets in which equal records are in their listed order. Place its
// records by rising offsets. Each record is then at its lowest feasible offset:
// the lowest offset that is above all conflicting records placed before, and at
// which no fixed record is in the way. Otherwise the record could be lowered to
// that offset, which would reduce the sum. A node of the proof consists of
// known facts about that plan:
//
//   - the records placed so far, and their offsets;
//   - a level below which no remaining record is placed;
//   - the records that were passed: they are above their lowest feasible
//     offset, because that offset is below the level or because the records
//     were already tried at that offset.
//
// A node is refuted by one of these steps:
//
//   - Place, for every record that could come next; each choice is then
//     refuted. If several remaining records of the plan have the least offset,
//     the first of them that is tried counts as the next record. A record
//     cannot come next in any of these cases:
//       * the record was passed;
//       * another remaining record, placed at its own lowest feasible offset,
//         would end at or below the lowest feasible offset of this record;
//       * an equal record that is listed earlier has not been placed;
//       * the remaining records at some task would not fit above the offset of
//         this record;
//       * a record that conflicts with this record would not fit above it.
//     The records that were tried earlier, and the records that cannot come
//     next, are therefore above the offset of the next record.
//   - Part, if the remaining records can be divided into parts that do not
//     conflict with each other: one of these parts is refuted alone.
//   - Full: at some task, the records that cannot be below a level do not fit
//     in the room above this level. The padding that alignments require between
//     the records counts if none of the records is fixed.
//   - Stuck: no remaining record can be placed below a record that was passed,
//     so the passed record could be lowered to its lowest feasible offset.
//
// The argument of Stuck also implies how low a passed record can be. Some
// record that conflicts with the passed record starts below the top that the
// passed record would have at its lowest feasible offset, and the passed record
// is on top of that other record or higher. A second argument concerns the
// remaining records at a task. All of them except the lowest one are above the
// lowest one. A record that leaves no room above it for all the others is
// therefore not the lowest one, so it is above some record that does leave
// enough room.
#ifndef STOWAGE_SRC_PROOF_SEARCH_REPLAY_H_
#define STOWAGE_SRC_PROOF_SEARCH_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/problem.h"

namespace stowage::certificate {

class SearchReplay {
 public:
  // Starts a proof that the records with the distinct indices `records` do not
  // fit within `capacity`. Records without bytes always fit and are ignored.
  // `problem` must outlive the object.
  SearchReplay(const Problem& problem, Span<const size_t> records,
               size_t capacity);

  // The following functions are the steps of the proof; each step applies to
  // the open node. A record is identified by its position in `records`. Errors:
  // InvalidArgument, with a message that does not name its subject, if there is
  // no such record, if the node does not allow the step, or if the claim of the
  // step does not follow. A step that returns an error changes nothing. O(n),
  // but O(n^2) for the first record placed at a node, and O(n^3) in the worst
  // case for claims that depend on passed records.
  Status Place(size_t record);
  Status Part(size_t record);
  Status Full(size_t task, size_t level);
  Status Stuck(size_t record);
  Status Close();
  // Abandons the innermost part without proving anything. Afterwards the open
  // node is the node from which the part was split.
  Status Abandon();

  // Returns a positive number that divides every offset of the plan that the
  // proof supposes. Such a number exists because each offset is a sum of sizes
  // and fixed offsets of `records`, rounded up to alignments.
  size_t divisor() const { return divisor_; }

  // Returns whether the root is refuted. If it is, no further step is allowed.
  bool IsProved() const { return frames_.empty(); }

 private:
  static constexpr size_t kNowhere = ~size_t{0};  // above every offset

  struct Item {
    size_t first_task = 0;
    size_t last_task = 0;
    size_t size = 0;
    size_t alignment = 1;
    // The item is live at the points [begin, end) of points_.
    size_t begin = 0;
    size_t end = 0;
    // The last equal item that is listed before this item.
    size_t equal_before = kNowhere;
    // True if the item has bytes and is not fixed.
    bool is_movable = false;
  };

  struct FixedItem {
    size_t begin = 0;  // the bytes are [begin, end)
    size_t end = 0;
    size_t item = 0;
  };

  // A node. All members of the node that have not been placed remain to be
  // placed.
  struct Frame {
    // The item that was placed to open this node.
    size_t placed = kNowhere;
    bool is_part = false;
    // True if the candidates of the node are in candidates_.
    bool is_branch = false;
    size_t level = 0;
    size_t members_begin = 0;
    size_t members_end = 0;
    size_t candidates_begin = 0;
    // The lengths of old_lowest_ and old_bars_ when the node was opened.
    size_t floors = 0;
    size_t bars = 0;
  };

  void ReadItems(const Problem& problem, Span<const size_t> records);
  void FindPoints();
  void LinkEqualItems();
  bool Conflict(size_t a, size_t b) const {
    return items_[a].begin < items_[b].end && items_[b].begin < items_[a].end;
  }
  size_t LowestPlace(size_t item, size_t offset) const;

  bool IsLive(size_t item, size_t task) const {
    return items_[item].first_task <= task && task <= items_[item].last_task;
  }
  bool IsLeft(size_t item) const {
    return items_[item].is_movable && is_placed_[item] == 0;
  }
  bool IsPassed(const Frame& frame, size_t item) const;
  std::vector<size_t> LeftAt(const Frame& frame) const;
  Status CheckLeft(size_t record) const;
  Status CheckFresh() const;
  size_t LargestLoad(const std::vector<size_t>& left) const;
  bool FollowsEqual(size_t item) const;
  bool Blocks(size_t item, const std::vector<size_t>& left) const;
  void FindCandidates();
  void BarEarlier(const Frame& frame, size_t record);
  void PushChild(size_t record);
  std::vector<size_t> LowestOffsets(const Frame& frame) const;
  std::vector<size_t> RaiseBlocked(std::vector<size_t> lowest) const;
  bool Overflows(size_t task, size_t level,
                 const std::vector<size_t>& lowest) const;
  bool OverflowsPadded(const std::vector<size_t>& items, size_t level,
                       size_t sum) const;
  void Refute();
  void Pop();

  size_t capacity_;
  size_t divisor_ = 0;
  std::vector<Item> items_;
  // The fixed items, sorted by offset.
  std::vector<FixedItem> fixed_;
  // Tasks such that any two conflicting records are both live at one of these
  // tasks.
  std::vector<size_t> points_;
  // Tasks at which the set of live records changes.
  std::vector<size_t> tasks_;
  // The lowest feasible offset of each item.
  std::vector<size_t> lowest_;
  // For each item, an offset above which the item must be placed; kNowhere if
  // there is no bar.
  std::vector<size_t> bars_;
  std::vector<char> is_placed_;
  // Scratch memory of BarEarlier.
  std::vector<char> is_waiting_;

  std::vector<Frame> frames_;
  std::vector<size_t> members_;
  std::vector<size_t> candidates_;
  std::vector<std::pair<size_t, size_t>> old_lowest_;
  std::vector<std::pair<size_t, size_t>> old_bars_;
};

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_SEARCH_REPLAY_H_
