// SPDX-License-Identifier: Apache-2.0
// Provides segment trees over the positions 0, 1, 2..., such as steps or size
// classes. The types differ in their updates and queries:
//
//   BestOfRange   sets single positions; finds the best value in a range
//   RangeHeights  raises ranges; finds the greatest height in a range
//   RaisedRanges  raises ranges; finds the height of a single position
//   RangeCounts   adds to ranges; finds the greatest count in a range
//
// To sum values, use a Fenwick tree (src/verify/hit_counter.h).
//
// Source: M. de Berg et al., "Computational Geometry" (2008), section 10.3.
#ifndef STOWAGE_SRC_BASE_RANGE_TREE_H_
#define STOWAGE_SRC_BASE_RANGE_TREE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace stowage {

inline constexpr size_t kNoPosition = std::numeric_limits<size_t>::max();

// Returns the number of leaves of a tree: the smallest power of two that is at
// least the number of positions. Node 1 is the root, the children of node k are
// 2k and 2k + 1, and the leaves are the last nodes.
inline size_t LeavesFor(size_t positions) {
  size_t leaves = 1;
  while (leaves < positions) leaves *= 2;
  return leaves;
}

// Calls visit(node) for the nodes of a smallest set of subtrees that together
// have exactly the leaves [first, last). `first` and `last` are numbers of
// nodes. O(log leaves).
template <typename Visit>
void VisitCover(size_t first, size_t last, Visit visit) {
  for (; first < last; first /= 2, last /= 2) {
    if (first % 2 == 1) visit(first++);
    if (last % 2 == 1) visit(--last);
  }
}

struct Larger {
  template <typename Value>
  const Value& operator()(const Value& a, const Value& b) const {
    return a < b ? b : a;
  }
};

// Stores a value for each position, and finds the best value in a range.
// `Better` returns the better of two values; its result must not depend on the
// order of the two arguments. Functions are O(log positions) unless stated
// otherwise.
template <typename Value, typename Better = Larger>
class BestOfRange {
 public:
  // Gives `value` to all positions. O(positions).
  explicit BestOfRange(size_t positions, const Value& value = Value(),
                       Better better = Better())
      : leaves_(LeavesFor(positions)),
        nodes_(2 * leaves_, value),
        better_(std::move(better)) {}

  // Sets the value of each position i to values[i]. O(positions).
  explicit BestOfRange(const std::vector<Value>& values,
                       Better better = Better())
      : BestOfRange(values.size(), Value(), std::move(better)) {
    std::copy(values.begin(), values.end(),
              nodes_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (size_t node = leaves_; node-- > 1;) SumUp(node);
  }

  const Value& Get(size_t position) const { return nodes_[leaves_ + position]; }

  void Set(size_t position, const Value& value) {
    size_t node = leaves_ + position;
    nodes_[node] = value;
    while (node > 1) SumUp(node /= 2);
  }

  // Raises the value of a position to `value` if it is lower. Requires that
  // `Better` is Larger.
  void Raise(size_t position, const Value& value) {
    for (size_t node = leaves_ + position; node > 0 && nodes_[node] < value;
         node /= 2) {
      nodes_[node] = value;
    }
  }

  // Returns the best of `best` and the values of the positions [begin, end).
  Value Best(size_t begin, size_t end, Value best = Value()) const {
    // Visits the outermost node at each end on every level, although the cover
    // needs only some of these nodes. A branch could not be predicted.
    size_t first = leaves_ + begin;
    size_t last = leaves_ + end;
    for (; first < last; first = (first + 1) / 2, last /= 2) {
      best = better_(best, nodes_[first]);
      best = better_(best, nodes_[last - 1]);
    }
    return best;
  }

  // Returns the last position below `end` with a value above `bound`, or
  // kNoPosition if there is none. `end` must itself be a position. Requires
  // that `Better` is Larger.
  size_t LastAbove(size_t end, const Value& bound) const {
    // Climb until the subtree to the left contains such a value.
    size_t node = leaves_ + end;
    do {
      while (node % 2 == 0 && node > 1) node /= 2;
      if (node == 1) return kNoPosition;
      --node;
    } while (!(bound < nodes_[node]));
    // Descend to the last position with such a value in this subtree.
    while (node < leaves_) {
      node = 2 * node + 1;
      if (!(bound < nodes_[node])) --node;
    }
    return node - leaves_;
  }

 private:
  void SumUp(size_t node) {
    nodes_[node] = better_(nodes_[2 * node], nodes_[2 * node + 1]);
  }

  size_t leaves_;
  std::vector<Value> nodes_;
  Better better_;
};

// Stores a height for each position, initially Height(), and finds the greatest
// height in a range. Raising a range changes only the nodes that cover the
// range and the nodes above them. Ranges must not be empty. O(log positions).
template <typename Height>
class RangeHeights {
 public:
  explicit RangeHeights(size_t positions)
      : leaves_(LeavesFor(positions)), nodes_(2 * leaves_) {}

  // Raises the positions [begin, end) to at least `height`.
  void Raise(size_t begin, size_t end, const Height& height) {
    VisitCover(leaves_ + begin, leaves_ + end, [&](size_t node) {
      RaiseTo(height, &nodes_[node].highest);
      RaiseTo(height, &nodes_[node].whole);
    });
    for (const size_t leaf : {leaves_ + begin, leaves_ + end - 1}) {
      for (size_t node = leaf / 2; node > 0; node /= 2) {
        RaiseTo(height, &nodes_[node].highest);
      }
    }
  }

  // Returns the greatest height in [begin, end).
  Height Highest(size_t begin, size_t end) const {
    size_t left = leaves_ + begin;
    size_t right = leaves_ + end - 1;
    Height highest = nodes_[left].highest;
    RaiseTo(nodes_[right].highest, &highest);
    // Climb from both ends of the range until they meet. The siblings between
    // the ends are entirely in the range. Of a node above the ends, only the
    // `whole` height counts, since positions below it may be outside of the
    // range.
    while (left != right) {
      const size_t left_sibling = left ^ 1;
      const size_t right_sibling = right ^ 1;
      if (left_sibling != right) {
        if (left % 2 == 0) RaiseTo(nodes_[left_sibling].highest, &highest);
        if (right % 2 == 1) RaiseTo(nodes_[right_sibling].highest, &highest);
      }
      left /= 2;
      right /= 2;
      RaiseTo(nodes_[left].whole, &highest);
      RaiseTo(nodes_[right].whole, &highest);
    }
    for (left /= 2; left > 0; left /= 2) {
      RaiseTo(nodes_[left].whole, &highest);
    }
    return highest;
  }

 private:
  struct Node {
    // The greatest height of the positions below the node, without the heights
    // to which nodes above this node were raised as a whole.
    Height highest = Height();
    // The height to which the node was raised as a whole.
    Height whole = Height();
  };

  static void RaiseTo(const Height& height, Height* raised) {
    // Always assigns, since a branch could not be predicted.
    *raised = *raised < height ? height : *raised;
  }

  size_t leaves_;
  std::vector<Node> nodes_;
};

// Stores a height for each position, initially Height(). Use this type instead
// of RangeHeights if only heights of single positions are needed, and more
// often than ranges are raised. RaisedRanges is then faster, because each node
// has 16 children, so there are few levels of nodes above a position.
template <typename Height>
class RaisedRanges {
 public:
  explicit RaisedRanges(size_t positions) {
    size_t nodes = 0;
    do {
      levels_.push_back(nodes);
      nodes += positions;
      positions = (positions + kChildren - 1) / kChildren;
    } while (positions > 1);
    raised_.resize(nodes);
  }

  // Raises the positions [begin, end) to at least `height`.
  // O(16 log16 positions).
  void Raise(size_t begin, size_t end, const Height& height) {
    for (const size_t level : levels_) {
      const size_t first = (begin + kChildren - 1) / kChildren;
      const size_t last = end / kChildren;
      const bool is_top = level == levels_.back();
      if (is_top || first >= last) {
        RaiseNodes(level + begin, level + end, height);
        return;
      }
      RaiseNodes(level + begin, level + first * kChildren, height);
      RaiseNodes(level + last * kChildren, level + end, height);
      begin = first;
      end = last;
    }
  }

  // O(log16 positions).
  Height At(size_t position) const {
    Height highest = Height();
    for (const size_t level : levels_) {
      highest = Larger()(highest, raised_[level + position]);
      position /= kChildren;
    }
    return highest;
  }

 private:
  static constexpr size_t kChildren = 16;

  void RaiseNodes(size_t begin, size_t end, const Height& height) {
    for (size_t node = begin; node < end; ++node) {
      raised_[node] = Larger()(raised_[node], height);
    }
  }

  // The first node of each level, beginning with the level of the positions.
  std::vector<size_t> levels_;
  std::vector<Height> raised_;  // the height to which each node was raised
};

// Stores a count for each position, initially 0, and finds the greatest count
// of a range.
class RangeCounts {
 public:
  explicit RangeCounts(size_t positions)
      : leaves_(LeavesFor(positions)),
        greatest_(2 * leaves_),
        added_(2 * leaves_) {}

  // Adds `count` to the count of every position in [begin, end), which must not
  // be empty. O(log positions).
  void Add(size_t begin, size_t end, int64_t count) {
    VisitCover(leaves_ + begin, leaves_ + end, [&](size_t node) {
      greatest_[node] += count;
      added_[node] += count;
    });
    SumUpFrom(leaves_ + begin);
    SumUpFrom(leaves_ + end - 1);
  }

  // Returns the greatest count of all positions.
  int64_t greatest() const { return greatest_[1]; }

  // Returns the greatest count of the positions in [begin, end), which must not
  // be empty. O(log^2 positions).
  int64_t GreatestIn(size_t begin, size_t end) const {
    int64_t greatest = std::numeric_limits<int64_t>::min();
    VisitCover(leaves_ + begin, leaves_ + end, [&](size_t node) {
      int64_t count = greatest_[node];
      for (size_t above = node / 2; above > 0; above /= 2) {
        count += added_[above];
      }
      greatest = std::max(greatest, count);
    });
    return greatest;
  }

 private:
  void SumUpFrom(size_t leaf) {
    for (size_t node = leaf / 2; node > 0; node /= 2) {
      greatest_[node] =
          std::max(greatest_[2 * node], greatest_[2 * node + 1]) + added_[node];
    }
  }

  // The two lists of nodes below are faster than one list with both counts,
  // because most visits of a leaf need only its entry in the first list.
  size_t leaves_;
  // The greatest count of the positions below the node, without the counts that
  // were added to nodes above this node as a whole.
  std::vector<int64_t> greatest_;
  // The count that was added to the node as a whole.
  std::vector<int64_t> added_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_RANGE_TREE_H_
