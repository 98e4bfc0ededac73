// SPDX-License-Identifier: Apache-2.0
// Trees over positions 0, 1, 2..., such as steps or size classes, that find the
// best value in a range of them: BestOfRange where the values of single
// positions change, RangeHeights and RaisedRanges where whole ranges are
// raised, and RangeCounts where ranges are counted. To sum values use a Fenwick
// tree (src/verify/hit_counter.h).
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

// The children of node k are 2k and 2k + 1; the leaves, a power of two of them,
// come last. Returns their number for some positions.
inline size_t LeavesFor(size_t positions) {
  size_t leaves = 1;
  while (leaves < positions) leaves *= 2;
  return leaves;
}

// Calls visit(node) for the fewest nodes that have just the leaves [first,
// last) below them. O(log leaves).
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

// Has a value for each position. `Better` returns the better one of two values,
// whatever their order. Every function is O(log positions).
template <typename Value, typename Better = Larger>
class BestOfRange {
 public:
  // Gives each position `value`.
  explicit BestOfRange(size_t positions, const Value& value = Value(),
                       Better better = Better())
      : leaves_(LeavesFor(positions)),
        nodes_(2 * leaves_, value),
        better_(std::move(better)) {}

  // Gives each position the value of a list. O(positions).
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

  // Raises the value of a position to at least `value`. The larger of two
  // values must be the better one.
  void Raise(size_t position, const Value& value) {
    for (size_t node = leaves_ + position; node > 0 && nodes_[node] < value;
         node /= 2) {
      nodes_[node] = value;
    }
  }

  // Returns the best of `best` and the values of the positions [begin, end).
  Value Best(size_t begin, size_t end, Value best = Value()) const {
    VisitCover(leaves_ + begin, leaves_ + end,
               [&](size_t node) { best = better_(best, nodes_[node]); });
    return best;
  }

  // Returns the last position below the position `end` whose value is above
  // `bound`, or kNoPosition. The larger of two values must be the better one.
  size_t LastAbove(size_t end, const Value& bound) const {
    // Climbs to the first subtree left of `end` that contains such a value,
    // ...
    size_t node = leaves_ + end;
    do {
      while (node % 2 == 0 && node > 1) node /= 2;
      if (node == 1) return kNoPosition;
      --node;
    } while (!(bound < nodes_[node]));
    // ... and descends to the last one in it.
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

// Has a height for each position, at first Height(). Raising a range changes
// nothing below the nodes that cover it. Ranges are not empty; every function
// is O(log positions).
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
    // Climbs from both ends until they meet. Nodes between them are in the
    // range, and a node above them that was raised as a whole covers it.
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
    Height highest = Height();  // of the positions below, but for what was
                                // done to whole nodes above
    Height whole = Height();    // what was done to the whole node
  };

  static void RaiseTo(const Height& height, Height* raised) {
    // Without a branch, which could not be predicted.
    *raised = *raised < height ? height : *raised;
  }

  size_t leaves_;
  std::vector<Node> nodes_;
};

// Has a height for each position, at first Height(), where only those of single
// positions are asked for: faster than RangeHeights. O(log positions).
template <typename Height>
class RaisedRanges {
 public:
  explicit RaisedRanges(size_t positions)
      : leaves_(LeavesFor(positions)), raised_(2 * leaves_) {}

  // Raises the positions [begin, end) to at least `height`.
  void Raise(size_t begin, size_t end, const Height& height) {
    VisitCover(leaves_ + begin, leaves_ + end, [&](size_t node) {
      raised_[node] = Larger()(raised_[node], height);
    });
  }

  Height At(size_t position) const {
    Height highest = Height();
    for (size_t node = leaves_ + position; node > 0; node /= 2) {
      highest = Larger()(highest, raised_[node]);
    }
    return highest;
  }

 private:
  size_t leaves_;
  std::vector<Height> raised_;  // to what the whole node was raised
};

// Has a count for each position, at first 0, and knows the greatest one.
class RangeCounts {
 public:
  explicit RangeCounts(size_t positions)
      : leaves_(LeavesFor(positions)),
        greatest_(2 * leaves_),
        added_(2 * leaves_) {}

  // Adds `count` to those of the positions [begin, end), which is not empty.
  // O(log positions).
  void Add(size_t begin, size_t end, int64_t count) {
    VisitCover(leaves_ + begin, leaves_ + end, [&](size_t node) {
      greatest_[node] += count;
      added_[node] += count;
    });
    SumUpFrom(leaves_ + begin);
    SumUpFrom(leaves_ + end - 1);
  }

  int64_t greatest() const { return greatest_[1]; }

 private:
  void SumUpFrom(size_t leaf) {
    for (size_t node = leaf / 2; node > 0; node /= 2) {
      greatest_[node] =
          std::max(greatest_[2 * node], greatest_[2 * node + 1]) + added_[node];
    }
  }

  // Two lists are faster here than one of nodes: leaves need only the first.
  size_t leaves_;
  std::vector<int64_t> greatest_;  // below the node, but for what was added to
                                   // whole nodes above
  std::vector<int64_t> added_;     // to the whole node
};

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_RANGE_TREE_H_
