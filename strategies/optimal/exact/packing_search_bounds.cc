// SPDX-License-Identifier: Apache-2.0
// Decides when a PackingSearch gives up a node: computes the lowest level that
// is still possible for each remaining item, and whether all items fit above
// these levels.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/exact/packing_search.h"

namespace stowage::optimal {

// Returns whether the items of each step fit with the padding that their
// alignments require between them. The result is the same at every node, so
// only the root is checked.
bool PackingSearch::FitsAligned() {
  const StepHeight tallest = TallestStep(packing_);
  if (tallest.height <= capacity_) return true;
  ++failures_[tallest.step];
  if (observer_ != nullptr) observer_->OnFull(tallest.step, 0);
  return false;
}

// Returns the lowest level that is still possible for a passed item: the lowest
// top of the items that can be placed under it. Returns kMaxLevel if no item
// can be placed under it.
Level PackingSearch::RaisedLevel(uint32_t number) const {
  const Extent& item = extents_[number];
  const auto [lowest_level, top] = by_step_.FindLowest(item);
  if (lowest_level >= lowest_[number] + item.size) return kMaxLevel;
  return obstacles_.LowestPlace(items_[number], top);
}

void PackingSearch::SortPassed(size_t from) {
  std::sort(raised_items_.begin() + static_cast<ptrdiff_t>(from),
            raised_items_.end(), [&](uint32_t a, uint32_t b) {
              return raised_[a] != raised_[b] ? raised_[a] < raised_[b] : a < b;
            });
}

// Computes the lowest level that is still possible for each passed item.
// Returns false if a passed item can no longer be raised.
bool PackingSearch::RaisePassed(const Frame& frame) {
  const Rest& rest = frame.rest;
  raised_items_.clear();
  for (size_t k = frame.next; k < rest.list_end; ++k) {
    raised_[lists_[k]] = lowest_[lists_[k]];
  }
  if (frame.next == rest.list_begin) return true;
  by_step_.ClearLowest(rest.first_step, rest.last_step);
  // The lowest top of the items that are not passed yet. Every passed item will
  // be at or above this level.
  Level lowest_top = kMaxLevel;
  for (size_t k = frame.next; k < rest.list_end; ++k) {
    const uint32_t i = lists_[k];
    by_step_.Cover(extents_[i], lowest_[i]);
    lowest_top = std::min(lowest_top, lowest_[i] + extents_[i].size);
  }
  for (size_t k = rest.list_begin; k < frame.next; ++k) {
    const uint32_t i = lists_[k];
    raised_[i] = RaisedLevel(i);
    if (raised_[i] == kMaxLevel &&
        lowest_top >= lowest_[i] + extents_[i].size) {
      return FailStuck(i);
    }
    raised_items_.push_back(i);
  }
  SortPassed(0);
  for (size_t k = 0; k < raised_items_.size(); ++k) {
    if (!Settle(k)) return false;
  }
  return true;
}

// Settles the lowest passed item that is not settled yet. No other unsettled
// item can be placed under this item, but this item can be placed under others,
// which may lower their `raised_`. Returns false if no item can raise this
// item.
bool PackingSearch::Settle(size_t index) {
  const uint32_t number = raised_items_[index];
  const Level lowest_level = raised_[number];
  if (lowest_level == kMaxLevel) return FailStuck(number);
  const Extent& item = extents_[number];
  bool changes = false;
  for (size_t k = raised_items_.size(); k-- > index + 1;) {
    const uint32_t other = raised_items_[k];
    // For this item and all earlier ones in the list, the top of the settled
    // item or a lower level is already possible, so the settled item lowers
    // none of them.
    if (!changes && raised_[other] <= lowest_level + item.size) break;
    if (!Overlap(item, extents_[other])) continue;
    if (lowest_level < lowest_[other] + extents_[other].size &&
        lowest_level + item.size < raised_[other]) {
      raised_[other] =
          obstacles_.LowestPlace(items_[other], lowest_level + item.size);
      changes = true;
    }
  }
  if (changes) SortPassed(index + 1);
  return true;
}

bool PackingSearch::FailStuck(uint32_t number) {
  const Extent& item = extents_[number];
  for (uint32_t s = item.begin; s < item.end; ++s) ++failures_[s];
  return ReportStuck(number);
}

// Raises every item that cannot be the lowest item at one of its steps. The
// lowest of the remaining items at a step must leave enough room above it for
// all others at this step. An item that does not leave enough room is therefore
// placed above an item that does. Returns false if an item would end above the
// capacity, or if the items no longer fit once they are raised.
bool PackingSearch::RaiseBlocked(const Frame& frame) {
  FindLowestTops(frame.rest);
  bool changes = false;
  for (const size_t k : blocked_) {
    const uint32_t i = lists_[k];
    const Extent& item = extents_[i];
    const Level room = capacity_ - raised_[i];
    const Level level =
        std::max(raised_[i], by_step_.HighestWhereBlocked(item, room));
    if (level == raised_[i]) continue;
    if (level + item.size > capacity_) {
      for (uint32_t s = item.begin; s < item.end; ++s) {
        failures_[s] += by_step_.HighestWhereBlocked(s, room) == level ? 1 : 0;
      }
      return ReportBlocked(item, level);
    }
    if (k >= frame.next) raised_items_.push_back(i);
    raised_[i] = obstacles_.LowestPlace(items_[i], level);
    changes = true;
  }
  if (!changes) return true;
  SortPassed(0);
  return FitsAbove(frame);
}

// Finds, for each step, the lowest top of the items that can be the lowest at
// this step, and finds the items that cannot be the lowest at some of their
// steps.
void PackingSearch::FindLowestTops(const Rest& rest) {
  by_step_.ClearLowest(rest.first_step, rest.last_step);
  blocked_.clear();
  for (size_t k = rest.list_begin; k < rest.list_end; ++k) {
    const uint32_t i = lists_[k];
    const Extent& item = extents_[i];
    const Level room = capacity_ - raised_[i];
    if (by_step_.CoverWhereFits(item, raised_[i], room)) blocked_.push_back(k);
  }
}

// Returns whether, at every step and above every level, there is enough room
// for the items that are at or above that level. Visits the levels from the
// highest down.
bool PackingSearch::FitsAbove(const Frame& frame) {
  const Rest& rest = frame.rest;
  by_step_.ClearAbove(rest.first_step, rest.last_step);
  size_t open = rest.list_end;
  size_t raised = raised_items_.size();
  size_t fixed = obstacles_.by_level().size();
  while (true) {
    while (open > frame.next &&
           raised_[lists_[open - 1]] != lowest_[lists_[open - 1]]) {
      --open;  // the item is counted among raised_items_
    }
    if (open == frame.next && raised == 0) break;
    const bool take_open =
        raised == 0 ||
        (open > frame.next &&
         lowest_[lists_[open - 1]] >= raised_[raised_items_[raised - 1]]);
    const uint32_t i = take_open ? lists_[--open] : raised_items_[--raised];
    const Level lowest_level = take_open ? lowest_[i] : raised_[i];
    for (; fixed > 0; --fixed) {
      const Item& obstacle = *obstacles_.by_level()[fixed - 1];
      if (obstacle.fixed_level < lowest_level) break;
      const uint32_t end = std::min(obstacle.end, rest.last_step);
      by_step_.AddAbove(std::max(obstacle.begin, rest.first_step), end,
                        obstacle.size);
    }
    const Extent& item = extents_[i];
    const Level room = std::max<Level>(capacity_ - lowest_level, 0);
    if (!by_step_.FitsAbove(item, room)) {
      const Level max = by_step_.MaxAbove(item.begin, item.end);
      for (uint32_t s = item.begin; s < item.end; ++s) {
        failures_[s] += by_step_.above(s) == max ? 1 : 0;
      }
      return ReportFull(item, lowest_level);
    }
  }
  return true;
}

}  // namespace stowage::optimal
