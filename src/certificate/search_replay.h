// SPDX-License-Identifier: Apache-2.0
// Replays the proof that records do not fit a capacity, step by step, in bytes
// and tasks. It knows nothing of the search that found the proof and trusts
// nothing of the log; CheckSearchLog (search_log.h) reads one.
//
// Suppose that a plan fits. Of all that do take one whose offsets have the
// least sum, equal records in the order in which they are listed, and place its
// records by rising offsets. Each is then at its floor: the lowest place above
// what was placed before and conflicts with it, around the fixed records; else
// it could sink there. A node of the proof is what is known of that plan:
//
//   - the records placed so far, and where;
//   - a level that no other lies below;
//   - records that were passed: they lie above their floor, because it is below
//     the level or because they were tried at it before.
//
// A node is refuted by
//
//   Place   of every record that could come next, each refuted in turn. A
//   record
//           cannot if it was passed; if another could then sink under what is
//           to come; if an equal one before it is not placed; if what is left
//           at some task would not fit above it; or if one that conflicts with
//           it would not fit on top of it. The plan's next record is one of
//           those at the least offset; the first of them to be tried comes
//           next, so what was tried before it, or cannot come next, lies
//           higher.
//   Part    if the records left fall into parts that do not conflict: one of
//           these, refuted alone.
//   Full    at a task, what cannot lie below a level is more than fits above
//   it. Stuck   a record that was passed: with nothing left that can get under
//   it,
//           it would sink to its floor.
//
// How low a passed record can lie follows from the same thought: one that
// conflicts with it lies below its top as it would be at its floor, and it lies
// on top of that one or higher. And of what is left at a task one is the
// lowest, with all the others above it: a record that has no room for them lies
// on top of one that has.
#ifndef STOWAGE_SRC_CERTIFICATE_SEARCH_REPLAY_H_
#define STOWAGE_SRC_CERTIFICATE_SEARCH_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "stowage/problem.h"

namespace stowage::certificate {

class SearchReplay {
 public:
  // The proof that `records`, by index and each once, do not fit `capacity`.
  // Records without bytes always fit and are ignored. The problem must outlive
  // the object.
  SearchReplay(const Problem& problem, absl::Span<const size_t> records,
               size_t capacity);

  // The steps, at the node that is open. A record is called by its place in
  // `records`. Error: InvalidArgument, without a subject, if it is not one, or
  // the node does not allow the step, or what the step claims does not follow;
  // nothing has changed then. O(n), but O(n^2) for the first record
  // placed at a node, O(n^3) at worst for what depends on passed records.
  absl::Status Place(size_t record);
  absl::Status Part(size_t record);
  absl::Status Full(size_t task, size_t level);
  absl::Status Stuck(size_t record);
  absl::Status Close();
  // Leaves the innermost part, which proves nothing; the node that it is a part
  // of is open then.
  absl::Status Abandon();

  // Every offset of that plan is a sum of sizes and fixed offsets of `records`,
  // each rounded up to an alignment: a multiple of this, which is above 0.
  size_t divisor() const { return divisor_; }

  // Whether the root is refuted: no step can follow.
  bool IsProved() const { return frames_.empty(); }

 private:
  static constexpr size_t kNowhere = ~size_t{0};  // above every offset

  struct Item {
    size_t first_task = 0;
    size_t last_task = 0;
    size_t size = 0;
    size_t alignment = 1;
    size_t begin = 0;  // the points that it is live at (points_): [begin, end)
    size_t end = 0;
    size_t equal_before = kNowhere;  // the last one listed before that is equal
    bool is_movable = false;         // and has bytes
  };

  struct FixedItem {
    size_t begin = 0;  // bytes [begin, end)
    size_t end = 0;
    size_t item = 0;
  };

  // A node. What it may place is in members_, so far as it is not placed.
  struct Frame {
    size_t placed = kNowhere;  // what was placed to get here
    bool is_part = false;
    bool is_branch = false;  // its candidates are in candidates_
    size_t level = 0;
    size_t members_begin = 0;
    size_t members_end = 0;
    size_t candidates_begin = 0;
    // How long the stacks were before.
    size_t floors = 0;
    size_t bars = 0;
  };

  void ReadItems(const Problem& problem, absl::Span<const size_t> records);
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
  absl::Status CheckLeft(size_t record) const;
  absl::Status CheckFresh() const;
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
  void Refute();
  void Pop();

  size_t capacity_;
  size_t divisor_ = 0;
  std::vector<Item> items_;
  std::vector<FixedItem> fixed_;  // by offset
  std::vector<size_t> points_;    // tasks: whatever conflicts shares one
  std::vector<size_t> tasks_;     // all that differ in what is live
  std::vector<size_t> floors_;    // by item
  std::vector<size_t> bars_;  // by item: it lies higher, or kNowhere for no bar
  std::vector<char> is_placed_;
  std::vector<char> is_waiting_;  // scratch

  std::vector<Frame> frames_;
  std::vector<size_t> members_;
  std::vector<size_t> candidates_;
  std::vector<std::pair<size_t, size_t>> old_floors_;
  std::vector<std::pair<size_t, size_t>> old_bars_;
};

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_CERTIFICATE_SEARCH_REPLAY_H_
