// SPDX-License-Identifier: Apache-2.0
// A segment tree of maxima. It keeps a number for each position, and finds the
// last number above a bound.
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_SIZE_MAXIMUM_TREE_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_SIZE_MAXIMUM_TREE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace stowage::greedy_by_size {

class MaximumTree {
 public:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  // Creates a tree of `size` numbers, all of them 0.
  explicit MaximumTree(size_t size) {
    while (leaves_ < size) leaves_ *= 2;
    maximum_.assign(2 * leaves_, 0);
  }

  // O(log n).
  void Set(size_t position, uint32_t value) {
    size_t node = leaves_ + position;
    maximum_[node] = value;
    while (node > 1) {
      node /= 2;
      maximum_[node] = std::max(maximum_[2 * node], maximum_[2 * node + 1]);
    }
  }

  uint32_t Get(size_t position) const { return maximum_[leaves_ + position]; }

  // Returns the last position below `end` that has a number above `bound`, or
  // kNone. O(log n).
  size_t LastAbove(size_t end, uint32_t bound) const {
    // Climbs to the first subtree left of `end` that contains such a number,
    // ...
    size_t node = leaves_ + end;
    do {
      while (node % 2 == 0 && node > 1) node /= 2;
      if (node == 1) return kNone;
      --node;
    } while (maximum_[node] <= bound);
    // ... and descends to the last one in it.
    while (node < leaves_) {
      node = 2 * node + 1;
      if (maximum_[node] <= bound) --node;
    }
    return node - leaves_;
  }

 private:
  size_t leaves_ = 1;
  std::vector<uint32_t> maximum_;  // of every subtree; node k has children 2k
                                   // and 2k + 1
};

}  // namespace stowage::greedy_by_size

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_SIZE_MAXIMUM_TREE_H_
