// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/cost_map.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/overlap_place.h"
#include "src/base/bits.h"

namespace stowage::optimal {

void CostMap::Begin(const Item& item) {
  size_ = item.size;
  alignment_ = item.alignment;
  highest_ = HighestPlace(item, capacity_);
  cost_ = 0;
  slope_ = 0;
  Mark(0);
  Mark(highest_);
}

void CostMap::List(std::vector<OverlapPlace>* places) {
  uint64_t cost = cost_;
  uint64_t slope = slope_;
  const auto levels = static_cast<size_t>(highest_) + 1;
  for (size_t level = 0; level < levels; ++level) {
    Change& change = changes_[level];
    cost += change.step;
    costs_[level] = cost;
    slope += change.slope;
    cost += slope;
    change = Change();
  }
  // Also clears the change at the level above the highest place. Such a change
  // exists if the item, at its highest place, would touch a neighbour from
  // below.
  changes_[levels] = Change();
  const size_t words = (levels + 63) / 64;
  size_t count = 0;
  for (size_t word = 0; word < words; ++word) {
    count += static_cast<size_t>(popcount(marks_[word]));
  }
  places->resize(count);
  OverlapPlace* next = places->data();
  for (size_t word = 0; word < words; ++word) {
    for (uint64_t bits = marks_[word]; bits != 0; bits &= bits - 1) {
      const size_t level = word * 64 + static_cast<size_t>(countr_zero(bits));
      *next++ = {static_cast<Level>(level), costs_[level]};
    }
    marks_[word] = 0;
  }
}

}  // namespace stowage::optimal
