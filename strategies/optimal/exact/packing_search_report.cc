// SPDX-License-Identifier: Apache-2.0
// Reports the events of a PackingSearch to its observer. These functions are in
// a separate file because a search without an observer never calls them.
#include <algorithm>
#include <cstdint>

#include "optimal/exact/packing_search.h"

namespace stowage::optimal {

bool PackingSearch::ReportStuck(uint32_t number) const {
  if (observer_ != nullptr) observer_->OnStuck(items_[number].record);
  return false;
}

// Reports the first step of `item` at which the items above `level` do not fit.
// `item` is the item visited last.
bool PackingSearch::ReportFull(const Extent& item, Level level) const {
  if (observer_ == nullptr) return false;
  uint32_t step = item.begin;
  while (level + by_step_.above(step) <= capacity_) ++step;
  observer_->OnFull(step, level);
  return false;
}

// Reports that the item alone does not fit above `level`.
bool PackingSearch::ReportBlocked(const Extent& item, Level level) const {
  if (observer_ == nullptr) return false;
  observer_->OnFull(item.begin, std::min(level, capacity_ + 1));
  return false;
}

void PackingSearch::ReportPart(const Rest& part) const {
  observer_->OnPart(items_[lists_[part.list_begin]].record, part.split);
}

}  // namespace stowage::optimal
