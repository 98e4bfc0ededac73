// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/sorted_edges.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "optimal/exact/packing.h"

namespace stowage::optimal {

SortedEdges::SortedEdges(const std::vector<Level>& levels)
    : levels_(levels),
      order_(levels.size()),
      ranks_(levels.size()),
      marks_((levels.size() + 63) / 64),
      sides_(levels.size()),
      sums_(levels.size() + 1) {
  std::iota(order_.begin(), order_.end(), uint32_t{0});
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    return levels_[a] != levels_[b] ? levels_[a] < levels_[b] : a < b;
  });
  for (uint32_t rank = 0; rank < order_.size(); ++rank) {
    ranks_[order_[rank]] = rank;
  }
}

void SortedEdges::Move(uint32_t item, Level level) {
  uint32_t rank = ranks_[item];
  for (; rank > 0 && levels_[order_[rank - 1]] > level; --rank) {
    order_[rank] = order_[rank - 1];
    ranks_[order_[rank]] = rank;
  }
  for (; rank + 1 < order_.size() && levels_[order_[rank + 1]] < level;
       ++rank) {
    order_[rank] = order_[rank + 1];
    ranks_[order_[rank]] = rank;
  }
  order_[rank] = item;
  ranks_[item] = rank;
  levels_[item] = level;
}

}  // namespace stowage::optimal
