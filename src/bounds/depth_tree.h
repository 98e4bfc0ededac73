// SPDX-License-Identifier: Apache-2.0
// Counts how many intervals cover each step while intervals are added and
// removed, and gives the largest count. For the heights that placed records
// reach at each step use SkylineTree (skyline_tree.h).
#ifndef STOWAGE_SRC_BOUNDS_DEPTH_TREE_H_
#define STOWAGE_SRC_BOUNDS_DEPTH_TREE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/bounds/interval_ranks.h"

namespace stowage {

// A segment tree. Each node stores the largest count in its range, without the
// counts that were added to the whole range of an ancestor. O(steps) memory.
class DepthTree {
 public:
  explicit DepthTree(size_t steps) {
    while (leaves_ < steps) leaves_ *= 2;
    maximum_.assign(2 * leaves_, 0);
    added_.assign(2 * leaves_, 0);
  }

  // Adds `count` to each step of the interval, which is not empty. O(log
  // steps).
  void Add(StepInterval interval, int64_t count) {
    const size_t first = interval.begin + leaves_;
    const size_t last = interval.end - 1 + leaves_;
    for (size_t l = first, r = last + 1; l < r; l /= 2, r /= 2) {
      if (l % 2 == 1) AddToNode(l++, count);
      if (r % 2 == 1) AddToNode(--r, count);
    }
    Rebuild(first);
    Rebuild(last);
  }

  // Returns the largest count of all steps.
  int64_t depth() const { return maximum_[1]; }

 private:
  void AddToNode(size_t node, int64_t count) {
    maximum_[node] += count;
    added_[node] += count;
  }

  void Rebuild(size_t leaf) {
    for (size_t node = leaf / 2; node >= 1; node /= 2) {
      maximum_[node] =
          std::max(maximum_[2 * node], maximum_[2 * node + 1]) + added_[node];
    }
  }

  size_t leaves_ = 1;
  std::vector<int64_t> maximum_;
  std::vector<int64_t> added_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_DEPTH_TREE_H_
