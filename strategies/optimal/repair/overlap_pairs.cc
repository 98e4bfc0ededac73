// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/overlap_pairs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/neighbours.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {

optional<OverlapPairs> OverlapPairs::Make(const Packing& packing,
                                          const Neighbours& neighbours,
                                          size_t max_sides) {
  const auto items = static_cast<uint32_t>(packing.items.size());
  size_t sides = 0;
  for (uint32_t i = 0; i < items; ++i) {
    const size_t own = neighbours.CountAtMost(i);
    sides += own;
    if (own > kMaxOfAnItem || sides > max_sides) return nullopt;
  }
  OverlapPairs pairs;
  pairs.begins_.reserve(items + size_t{1});
  pairs.sides_.reserve(sides);
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < items; ++i) {
    pairs.begins_.push_back(pairs.sides_.size());
    neighbours.Of(i, &found);
    std::sort(found.begin(), found.end());
    for (const uint32_t other : found) pairs.sides_.push_back({other, 0});
  }
  pairs.begins_.push_back(pairs.sides_.size());
  // Items are visited in ascending order, and each item lists its sides by
  // ascending `other`. The mirror of `side` is therefore the first side of
  // `other` that is not the mirror of another side yet.
  std::vector<size_t> next(pairs.begins_.begin(), pairs.begins_.end() - 1);
  for (Side& side : pairs.sides_) {
    side.mirror = static_cast<uint32_t>(next[side.other]++);
  }
  return pairs;
}

}  // namespace stowage::optimal
