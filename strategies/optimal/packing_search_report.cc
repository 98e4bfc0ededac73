// SPDX-License-Identifier: Apache-2.0
// What a PackingSearch tells its observer; apart from the search, for it is
// never called in one that has none.
#include <algorithm>
#include <cstdint>

#include "optimal/packing_search.h"

namespace stowage::optimal {

bool PackingSearch::ReportStuck(uint32_t number) const {
  if (observer_ != nullptr) observer_->OnStuck(items_[number].record);
  return false;
}

// Of the steps of the item that was looked at last.
bool PackingSearch::ReportFull(const Extent& item, Level level) const {
  if (observer_ == nullptr) return false;
  uint32_t step = item.begin;
  while (level + by_step_.above(step) <= capacity_) ++step;
  observer_->OnFull(step, level);
  return false;
}

// The item alone does not fit above the level.
bool PackingSearch::ReportBlocked(const Extent& item, Level level) const {
  if (observer_ == nullptr) return false;
  observer_->OnFull(item.begin, std::min(level, capacity_ + 1));
  return false;
}

void PackingSearch::ReportPart(const Rest& part) const {
  observer_->OnPart(items_[lists_[part.list_begin]].record, part.split);
}

}  // namespace stowage::optimal
