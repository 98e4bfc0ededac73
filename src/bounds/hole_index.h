// SPDX-License-Identifier: Apache-2.0
// Quickly finds bytes that are outside of many holes. For the holes of a
// problem, use RigidGroups (rigid_groups.h), which has an index of the holes of
// its pool.
//
// A segment tree covers the tasks. Each of its nodes has two lists of disjoint
// ranges of bytes, sorted by position:
//
//   covering   has the bytes of the holes that apply at all tasks of the node,
//              but not at all tasks of its parent
//   touching   has the bytes of all holes that apply at a task of the node,
//              except for the holes in the covering lists of the nodes above
//
// The holes that apply at some task of an interval are in the touching lists of
// the O(log tasks) nodes that make up the interval, and in the covering lists
// of the nodes above them. To find a place that is free in all of these lists,
// a query goes through the lists in turn. Each list moves the place up to the
// next place that is free in this list, until the place is free in all lists.
#ifndef STOWAGE_SRC_BOUNDS_HOLE_INDEX_H_
#define STOWAGE_SRC_BOUNDS_HOLE_INDEX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/constraints.h"
#include "stowage/usage_record.h"

namespace stowage::rigid {

// Disjoint ranges of bytes, sorted by position.
class ByteRanges {
 public:
  // Adds a range. Requires that ranges are added in the order of rising
  // `begin`; they may overlap.
  void Add(int64_t begin, int64_t end);
  // Must be called once, after the last range has been added.
  void Finish();

  size_t size() const { return ranges_.size(); }
  // Returns the lowest level at or above `level` such that the `size` bytes
  // from that level on are in no range. O(log n + n / 64).
  int64_t LowestFree(int64_t level, int64_t size) const;
  // Returns how many bytes below `level` are in a range. O(log n).
  int64_t BytesBelow(int64_t level) const;
  // Returns the lowest level below which `bytes` bytes are in no range. O(log
  // n).
  int64_t TopAround(int64_t bytes) const;
  // Appends all ranges to `all`.
  void AppendTo(std::vector<std::pair<int64_t, int64_t>>* all) const;

 private:
  struct Range {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t free = 0;  // bytes below `begin` that are in no range
  };
  // Returns the size of the gap between a range and the range before it.
  int64_t GapBelow(size_t k) const {
    return ranges_[k].begin - ranges_[k - 1].end;
  }

  std::vector<Range> ranges_;
  // For each block of 64 ranges, the largest gap below any of these ranges.
  std::vector<int64_t> largest_gaps_;
};

class HoleIndex {
 public:
  HoleIndex() = default;  // of no holes
  // Indexes the holes for records that are live at most from `first` to `last`.
  // If `are_forever` is true, all holes apply at all tasks. O(h log^2 h) time
  // and O(h log h) memory for h holes.
  HoleIndex(Span<const Hole> holes, TaskId first, TaskId last,
            bool are_forever);

  bool empty() const { return nodes_.empty(); }
  // Returns the lowest level at or above `level` such that the `size` bytes
  // from that level on are in no hole that applies at a task from `first` to
  // `last`. O(log^2 h), plus O(log^2 h) for each place that is free in one list
  // but not in another.
  int64_t LowestFree(int64_t level, int64_t size, TaskId first,
                     TaskId last) const;
  // Returns the lowest level below which `bytes` bytes are in no hole that
  // applies at `task`. O(RangesAt(task) * log h).
  int64_t TopAround(TaskId task, int64_t bytes) const;
  // Returns whether TopAround(task, bytes) may exceed `level`. If the result is
  // false, it certainly does not. O(log^2 h).
  bool MayEndAbove(int64_t level, TaskId task, int64_t bytes) const;
  // Returns the number of ranges that TopAround visits at `task`.
  size_t RangesAt(TaskId task) const;

 private:
  struct Node {
    ByteRanges covering;
    ByteRanges touching;
  };
  // The lists that one query reads: at most four lists for each of at most 62
  // levels of the tree.
  struct Lists {
    std::array<const ByteRanges*, 256> lists;
    size_t count = 0;

    void Add(const ByteRanges& list) { lists[count++] = &list; }
    Span<const ByteRanges* const> all() const {
      return MakeConstSpan(lists.data(), count);
    }
  };
  // Steps of the tree, both included.
  struct Steps {
    size_t first = 0;
    size_t last = 0;
  };

  Steps StepsOf(TaskId first, TaskId last) const;
  void Insert(const Hole& hole, Steps steps, size_t node, Steps of_node);
  void Collect(Steps steps, Lists* lists) const;
  void CollectAt(TaskId task, Lists* lists) const;
  void AddCovering(size_t node, Lists* lists) const {
    if ((filled_[node] & kCovering) != 0) lists->Add(nodes_[node].covering);
  }
  void AddTouching(size_t node, Lists* lists) const {
    if ((filled_[node] & kTouching) != 0) lists->Add(nodes_[node].touching);
  }

  std::vector<TaskId> firsts_;  // the first task of each step
  size_t leaves_ = 0;           // a power of two, at least the steps
  std::vector<Node> nodes_;     // in the order of a heap; the root is nodes_[1]
  // For each node, flags for those of its lists that are not empty. The lists
  // of most nodes are empty and need not be read.
  static constexpr uint8_t kCovering = 1;
  static constexpr uint8_t kTouching = 2;
  std::vector<uint8_t> filled_;
  int64_t highest_ = 0;  // one past the last byte of a hole
};

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_HOLE_INDEX_H_
