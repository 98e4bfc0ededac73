// SPDX-License-Identifier: Apache-2.0
// Keeps the skyline, which is the height of the placed records at each step.
//
// A tree over the steps. Each node keeps the greatest height under it, and the
// height to which its whole interval was raised; raising a node changes none of
// its descendants.
#ifndef STOWAGE_SRC_CONSTRUCT_SKYLINE_TREE_H_
#define STOWAGE_SRC_CONSTRUCT_SKYLINE_TREE_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/bounds/interval_ranks.h"

namespace stowage {

class SkylineTree {
 public:
  // Creates a flat skyline at height 0. O(steps).
  explicit SkylineTree(size_t steps) {
    while (leaves_ < steps) leaves_ *= 2;
    nodes_.resize(2 * leaves_);
  }

  // Returns the greatest height in an interval. O(log steps).
  size_t Highest(StepInterval interval) const {
    size_t left = leaves_ + interval.begin;
    size_t right = leaves_ + interval.end - 1;
    size_t highest = std::max(nodes_[left].highest, nodes_[right].highest);
    // Climbs from both ends until they meet. Nodes between them are in the
    // interval, and a node above them that was raised as a whole covers it.
    while (left != right) {
      const size_t left_sibling = left ^ 1;
      const size_t right_sibling = right ^ 1;
      if (left_sibling != right) {
        if (left % 2 == 0) {
          highest = std::max(highest, nodes_[left_sibling].highest);
        }
        if (right % 2 == 1) {
          highest = std::max(highest, nodes_[right_sibling].highest);
        }
      }
      left /= 2;
      right /= 2;
      highest = std::max({highest, nodes_[left].raised, nodes_[right].raised});
    }
    for (left /= 2; left > 0; left /= 2) {
      highest = std::max(highest, nodes_[left].raised);
    }
    return highest;
  }

  // Raises an interval to `top`, which is not below its greatest height. O(log
  // steps).
  void Raise(StepInterval interval, size_t top) {
    size_t left = leaves_ + interval.begin;
    size_t right = leaves_ + interval.end;
    for (; left < right; left /= 2, right /= 2) {
      if (left % 2 == 1) nodes_[left++] = {top, top};
      if (right % 2 == 1) nodes_[--right] = {top, top};
    }
    RaiseAncestors(leaves_ + interval.begin, top);
    RaiseAncestors(leaves_ + interval.end - 1, top);
  }

  // Raises to `top` those steps of an interval that are lower than `top`. O(log
  // steps).
  void RaiseLower(StepInterval interval, size_t top) {
    size_t left = leaves_ + interval.begin;
    size_t right = leaves_ + interval.end;
    for (; left < right; left /= 2, right /= 2) {
      if (left % 2 == 1) LiftNode(left++, top);
      if (right % 2 == 1) LiftNode(--right, top);
    }
    RaiseAncestors(leaves_ + interval.begin, top);
    RaiseAncestors(leaves_ + interval.end - 1, top);
  }

 private:
  struct Node {
    size_t highest = 0;
    size_t raised = 0;
  };

  void LiftNode(size_t node, size_t top) {
    nodes_[node].highest = std::max(nodes_[node].highest, top);
    nodes_[node].raised = std::max(nodes_[node].raised, top);
  }

  void RaiseAncestors(size_t leaf, size_t top) {
    for (size_t node = leaf / 2; node > 0; node /= 2) {
      nodes_[node].highest = std::max(nodes_[node].highest, top);
    }
  }

  size_t leaves_ = 1;
  std::vector<Node> nodes_;  // the children of node k are 2k and 2k + 1
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_SKYLINE_TREE_H_
