// SPDX-License-Identifier: Apache-2.0
// When a PackingSearch gives up a node: how low each item that is left can
// still lie, and whether all of them fit above that.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/packing.h"
#include "optimal/packing_search.h"

namespace stowage::optimal {

// Lets an item that can lie at `floor` or above get under others at its steps.
void PackingSearch::Cover(const Item& item, Level floor) {
  const Level top = floor + item.size;
  for (uint32_t s = item.begin; s < item.end; ++s) {
    lowest_floor_[s] = std::min(lowest_floor_[s], floor);
    lowest_top_[s] = std::min(lowest_top_[s], top);
  }
}

// How low a passed item can still lie: on the lowest top of what can get under
// it; kMaxLevel if nothing can.
Level PackingSearch::RaisedLevel(uint32_t number) const {
  const Item& item = items_[number];
  Level floor = kMaxLevel;
  Level top = kMaxLevel;
  for (uint32_t s = item.begin; s < item.end; ++s) {
    floor = std::min(floor, lowest_floor_[s]);
    top = std::min(top, lowest_top_[s]);
  }
  if (floor >= floors_[number] + item.size) return kMaxLevel;
  return obstacles_.LowestPlace(item, top);
}

void PackingSearch::SortPassed(size_t from) {
  std::sort(raised_items_.begin() + static_cast<ptrdiff_t>(from),
            raised_items_.end(), [&](uint32_t a, uint32_t b) {
              return raised_[a] != raised_[b] ? raised_[a] < raised_[b] : a < b;
            });
}

// Finds out how low each passed item can still lie. False if one of them cannot
// be raised any more.
bool PackingSearch::RaisePassed(const Frame& frame) {
  const Rest& rest = frame.rest;
  raised_items_.clear();
  for (size_t k = frame.next; k < rest.list_end; ++k) {
    raised_[lists_[k]] = floors_[lists_[k]];
  }
  if (frame.next == rest.list_begin) return true;
  const auto first = static_cast<ptrdiff_t>(rest.first_step);
  const auto last = static_cast<ptrdiff_t>(rest.last_step);
  for (auto* lowest : {&lowest_floor_, &lowest_top_}) {
    std::fill(lowest->begin() + first, lowest->begin() + last, kMaxLevel);
  }
  // No passed item can lie lower than the lowest top of the others.
  Level lowest_top = kMaxLevel;
  for (size_t k = frame.next; k < rest.list_end; ++k) {
    const uint32_t i = lists_[k];
    Cover(items_[i], floors_[i]);
    lowest_top = std::min(lowest_top, floors_[i] + items_[i].size);
  }
  for (size_t k = rest.list_begin; k < frame.next; ++k) {
    const uint32_t i = lists_[k];
    raised_[i] = RaisedLevel(i);
    if (raised_[i] == kMaxLevel && lowest_top >= floors_[i] + items_[i].size) {
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

// The lowest of the passed items not settled yet cannot be raised by the others
// of them, but others by it. False if it cannot be raised at all.
bool PackingSearch::Settle(size_t index) {
  const uint32_t number = raised_items_[index];
  const Level floor = raised_[number];
  if (floor == kMaxLevel) return FailStuck(number);
  const Item& item = items_[number];
  bool changes = false;
  for (size_t k = raised_items_.size(); k-- > index + 1;) {
    const uint32_t other = raised_items_[k];
    // Those from here down lie no higher than on top of the item anyway.
    if (!changes && raised_[other] <= floor + item.size) break;
    if (!Overlap(item, items_[other])) continue;
    if (floor < floors_[other] + items_[other].size &&
        floor + item.size < raised_[other]) {
      raised_[other] = obstacles_.LowestPlace(items_[other], floor + item.size);
      changes = true;
    }
  }
  if (changes) SortPassed(index + 1);
  return true;
}

bool PackingSearch::FailStuck(uint32_t number) {
  const Item& item = items_[number];
  for (uint32_t s = item.begin; s < item.end; ++s) ++failures_[s];
  return ReportStuck(number);
}

// One of the items that are left at a step is the lowest there, with room for
// all others above it; what has none lies on top of one that has. False if an
// item is raised too high, or not all fit above what they are raised to.
bool PackingSearch::RaiseBlocked(const Frame& frame) {
  const Rest& rest = frame.rest;
  if (!FindLowestTops(rest)) return true;
  bool changes = false;
  for (size_t k = rest.list_begin; k < rest.list_end; ++k) {
    const uint32_t i = lists_[k];
    const Item& item = items_[i];
    const Level room = capacity_ - raised_[i];
    Level level = raised_[i];
    for (uint32_t s = item.begin; s < item.end; ++s) {
      if (remaining_[s] > room) level = std::max(level, lowest_top_[s]);
    }
    if (level == raised_[i]) continue;
    if (level + item.size > capacity_) {
      for (uint32_t s = item.begin; s < item.end; ++s) {
        if (remaining_[s] > room && lowest_top_[s] == level) ++failures_[s];
      }
      return ReportBlocked(item, level);
    }
    if (k >= frame.next) raised_items_.push_back(i);
    raised_[i] = obstacles_.LowestPlace(item, level);
    changes = true;
  }
  if (!changes) return true;
  SortPassed(0);
  return FitsAbove(frame);
}

// By step, the lowest top of what can be the lowest item there. False if every
// item can be so at all of its steps.
bool PackingSearch::FindLowestTops(const Rest& rest) {
  std::fill(lowest_top_.begin() + rest.first_step,
            lowest_top_.begin() + rest.last_step, kMaxLevel);
  bool blocks = false;
  for (size_t k = rest.list_begin; k < rest.list_end; ++k) {
    const uint32_t i = lists_[k];
    const Item& item = items_[i];
    const Level room = capacity_ - raised_[i];
    const Level top = raised_[i] + item.size;
    for (uint32_t s = item.begin; s < item.end; ++s) {
      const bool is_blocked = remaining_[s] > room;
      blocks |= is_blocked;
      lowest_top_[s] = std::min(lowest_top_[s], is_blocked ? kMaxLevel : top);
    }
  }
  return blocks;
}

// From the highest floor down: at every step, what lies at a floor or above
// must fit above it.
bool PackingSearch::FitsAbove(const Frame& frame) {
  const Rest& rest = frame.rest;
  std::fill(above_.begin() + rest.first_step, above_.begin() + rest.last_step,
            0);
  size_t open = rest.list_end;
  size_t raised = raised_items_.size();
  size_t fixed = obstacles_.by_level().size();
  while (true) {
    while (open > frame.next &&
           raised_[lists_[open - 1]] != floors_[lists_[open - 1]]) {
      --open;  // it is among the raised ones
    }
    if (open == frame.next && raised == 0) break;
    const bool take_open =
        raised == 0 ||
        (open > frame.next &&
         floors_[lists_[open - 1]] >= raised_[raised_items_[raised - 1]]);
    const uint32_t i = take_open ? lists_[--open] : raised_items_[--raised];
    const Level floor = take_open ? floors_[i] : raised_[i];
    for (; fixed > 0; --fixed) {
      const Item& obstacle = *obstacles_.by_level()[fixed - 1];
      if (obstacle.fixed_level < floor) break;
      const uint32_t end = std::min(obstacle.end, rest.last_step);
      for (uint32_t s = std::max(obstacle.begin, rest.first_step); s < end;
           ++s) {
        above_[s] += obstacle.size;
      }
    }
    const Item& item = items_[i];
    Level most = 0;
    for (uint32_t s = item.begin; s < item.end; ++s) {
      above_[s] += item.size;
      most = std::max(most, above_[s]);
    }
    if (floor + most > capacity_) {
      for (uint32_t s = item.begin; s < item.end; ++s) {
        failures_[s] += above_[s] == most ? 1 : 0;
      }
      return ReportFull(item, floor);
    }
  }
  return true;
}

}  // namespace stowage::optimal
