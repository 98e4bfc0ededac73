// SPDX-License-Identifier: Apache-2.0
#include "src/explain/coverage.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace stowage::views {

Coverage::Coverage(std::vector<size_t> ends) : ends_(std::move(ends)) {
  std::sort(ends_.begin(), ends_.end());
  ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  while (leaves_ + 1 < ends_.size()) leaves_ *= 2;
  nodes_.resize(2 * leaves_);
}

size_t Coverage::Begin(size_t leaf) const {
  return ends_[std::min(leaf, ends_.size() - 1)];
}

void Coverage::Update(size_t node, size_t level) {
  Node& at = nodes_[node];
  if (at.blocks > 0) {
    const size_t leaf = (node << level) - leaves_;
    at.highest = Begin(leaf + (size_t{1} << level));
    at.held = at.highest - Begin(leaf);
    return;
  }
  if (level == 0) {
    at.held = 0;
    at.highest = 0;
    return;
  }
  const Node& below = nodes_[2 * node];
  const Node& above = nodes_[2 * node + 1];
  at.held = below.held + above.held;
  at.highest = std::max(below.highest, above.highest);
}

void Coverage::Change(size_t begin, size_t end, bool adds) {
  const auto leaf_of = [&](size_t byte) {
    return static_cast<size_t>(
        std::lower_bound(ends_.begin(), ends_.end(), byte) - ends_.begin());
  };
  const size_t first = leaf_of(begin) + leaves_;
  const size_t last = leaf_of(end) + leaves_;  // one past the last leaf
  size_t level = 0;
  const auto change = [&](size_t node) {
    if (adds) {
      ++nodes_[node].blocks;
    } else {
      --nodes_[node].blocks;
    }
    Update(node, level);
  };
  for (size_t l = first, r = last; l < r; l /= 2, r /= 2, ++level) {
    if (l % 2 == 1) change(l++);
    if (r % 2 == 1) change(--r);
  }
  level = 0;
  for (size_t node = first; node > 1;) Update(node /= 2, ++level);
  level = 0;
  for (size_t node = last - 1; node > 1;) Update(node /= 2, ++level);
}

}  // namespace stowage::views
