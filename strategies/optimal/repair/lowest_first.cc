// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/lowest_first.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "optimal/exact/packing.h"
#include "src/base/int128.h"

namespace stowage::optimal {
namespace {

// The value in lowest_ of an item that has been placed.
constexpr int16_t kPlaced = std::numeric_limits<int16_t>::max();

// The number of items that the loops process together. On most machines a
// single instruction can process this number of items, so compilers vectorize
// the loops.
constexpr size_t kTogether = 16;

}  // namespace

LowestFirst::LowestFirst(const Packing& packing) : packing_(packing) {}

bool LowestFirst::Takes(const Packing& packing, Level capacity) {
  if (capacity >= kPlaced || packing.steps >= kPlaced) return false;
  return std::all_of(
      packing.items.begin(), packing.items.end(),
      [](const Item& item) { return item.alignment == 1 && !item.is_fixed(); });
}

void LowestFirst::Load(const std::vector<uint32_t>& order) {
  const size_t room = (order.size() + kTogether - 1) / kTogether * kTogether;
  items_ = order;
  lowest_.assign(room, kPlaced);
  begins_.assign(room, 0);
  ends_.assign(room, 0);
  for (size_t k = 0; k < order.size(); ++k) {
    const Item& item = packing_.items[order[k]];
    lowest_[k] = 0;
    begins_[k] = static_cast<int16_t>(item.begin);
    ends_[k] = static_cast<int16_t>(item.end);
  }
}

// Removes the entries of placed items.
void LowestFirst::Compact(size_t left) {
  size_t kept = 0;
  for (size_t k = 0; kept < left; ++k) {
    if (lowest_[k] == kPlaced) continue;
    lowest_[kept] = lowest_[k];
    begins_[kept] = begins_[k];
    ends_[kept] = ends_[k];
    items_[kept] = items_[k];
    ++kept;
  }
  const size_t room = (left + kTogether - 1) / kTogether * kTogether;
  std::fill(lowest_.begin() + static_cast<ptrdiff_t>(left), lowest_.end(),
            kPlaced);
  lowest_.resize(room);
  begins_.resize(room);
  ends_.resize(room);
}

// Returns the index of the item with the lowest feasible level, and on ties the
// first such index.
size_t LowestFirst::TakeLowest() {
  int16_t lowest = kPlaced;
  for (const int16_t lowest_level : lowest_) {
    lowest = std::min(lowest, lowest_level);
  }
  return static_cast<size_t>(std::find(lowest_.begin(), lowest_.end(), lowest) -
                             lowest_.begin());
}

void LowestFirst::Raise(size_t placed, int16_t top) {
  const int16_t begin = begins_[placed];
  const int16_t end = ends_[placed];
  const size_t room = lowest_.size();
  int16_t* const lowest_levels = lowest_.data();
  const int16_t* const begins = begins_.data();
  const int16_t* const ends = ends_.data();
  for (size_t k = 0; k < room; ++k) {
    const int16_t before_end = begins[k] < end ? top : int16_t{0};
    const int16_t raised = ends[k] > begin ? before_end : int16_t{0};
    lowest_levels[k] =
        std::max(lowest_levels[k], raised);  // kPlaced is the largest level
  }
}

uint128 LowestFirst::Left(const std::vector<uint32_t>& order, Level capacity) {
  Load(order);
  uint128 area = 0;
  for (size_t left = order.size(); left > 0; --left) {
    if (left + left / 4 + kTogether < lowest_.size()) Compact(left);
    const size_t k = TakeLowest();
    const Item& item = packing_.items[items_[k]];
    const Level top = lowest_[k] + item.size;
    lowest_[k] = kPlaced;
    if (top > capacity) {
      area += AreaOf(item);
    } else {
      Raise(k, static_cast<int16_t>(top));
    }
  }
  return area;
}

}  // namespace stowage::optimal
