// SPDX-License-Identifier: Apache-2.0
// Keeps the numbers that a PackingSearch needs at each step of a packing: the
// sum of the sizes that remain to be placed, the lowest level and the lowest
// top of the items that cover the step, and the sum of the sizes above a level.
// To store other numbers by step, use the rows of step_rows.h directly.
//
// Most of the time of a node is spent in loops over the steps of an item. If
// 16-bit numbers are sufficient, the loops therefore process eight of them at a
// time, with instructions that every 64-bit processor has. Otherwise they
// process one Level at a time. The results are the same. (Numbers of 32 bits
// would be no faster than Levels, since only more recent processors have an
// instruction for the minimum of 32-bit numbers.)
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EXACT_STEP_LEVELS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EXACT_STEP_LEVELS_H_

#include <cstdint>
#include <type_traits>

#include "optimal/exact/packing.h"
#include "optimal/exact/step_rows.h"

namespace stowage::optimal {

// The four numbers of each step. Every function is O(steps of the item) or
// O(end - begin).
class StepLevels {
 public:
  // Requires that no sum at a step, and no room or level passed to a function,
  // is ever negative or above `max`. All sums start at 0.
  StepLevels(uint32_t steps, Level max) : is_narrow_(max <= kMaxNarrow) {
    Change([&](auto& rows) {
      rows.remaining.Assign(steps, 0);
      rows.lowest_levels.Assign(steps, kMaxLevel);
      rows.tops.Assign(steps, kMaxLevel);
      rows.above.Assign(steps, 0);
    });
  }

  bool is_narrow() const { return is_narrow_; }

  void AddRemaining(const Extent& item) {
    Change([&](auto& rows) {
      rows.remaining.Add(item.begin, item.end, item.size);
    });
  }
  void RemoveRemaining(const Extent& item) {
    Change([&](auto& rows) {
      rows.remaining.Add(item.begin, item.end, -item.size);
    });
  }
  // Returns the largest remaining size at any of the steps.
  Level MaxRemaining(uint32_t begin, uint32_t end) const {
    return Read(
        [&](const auto& rows) { return rows.remaining.Most(begin, end); });
  }
  bool RemainsAtMost(const Extent& item, Level room) const {
    return Read([&](const auto& rows) {
      return !rows.remaining.IsAnyAbove(item.begin, item.end, room);
    });
  }

  // Resets the lowest levels and tops of these steps to kMaxLevel, as if no
  // item covered them.
  void ClearLowest(uint32_t begin, uint32_t end) {
    Change([&](auto& rows) {
      rows.lowest_levels.Fill(begin, end, kMaxLevel);
      rows.tops.Fill(begin, end, kMaxLevel);
    });
  }
  // Adds an item that can be at `lowest_level` or above. At each step of the
  // item, lowers the lowest level to at most `lowest_level`, and the lowest top
  // to at most the top of the item at this level.
  void Cover(const Extent& item, Level lowest_level) {
    Change([&](auto& rows) {
      rows.lowest_levels.Lower(&rows.tops, item.begin, item.end,
                               {lowest_level, lowest_level + item.size});
    });
  }
  // Like Cover, but lowers only the tops, and only at steps where at most
  // `room` remains. Returns true if more than `room` remains at any step of the
  // item.
  bool CoverWhereFits(const Extent& item, Level lowest_level, Level room) {
    return Change([&](auto& rows) {
      return rows.tops.LowerWhereFits(rows.remaining, room, item.begin,
                                      item.end, lowest_level + item.size);
    });
  }
  // Returns the lowest level and the lowest top of the items that cover any
  // step of this item, or kMaxLevel for both if no item does.
  LevelPair FindLowest(const Extent& item) const {
    return Read([&](const auto& rows) {
      return rows.lowest_levels.Least(rows.tops, item.begin, item.end);
    });
  }
  // Returns the highest of the lowest tops at the steps of the item where more
  // than `room` remains, or 0 if there are no such steps.
  Level HighestWhereBlocked(const Extent& item, Level room) const {
    return Read([&](const auto& rows) {
      return rows.tops.MaxWhereBlocked(rows.remaining, room, item.begin,
                                       item.end);
    });
  }
  Level HighestWhereBlocked(uint32_t step, Level room) const {
    return Read([&](const auto& rows) {
      return rows.remaining.At(step) > room ? rows.tops.At(step) : Level{0};
    });
  }

  void ClearAbove(uint32_t begin, uint32_t end) {
    Change([&](auto& rows) { rows.above.Fill(begin, end, 0); });
  }
  void AddAbove(uint32_t begin, uint32_t end, Level size) {
    Change([&](auto& rows) { rows.above.Add(begin, end, size); });
  }
  // Adds the size of the item, at each of its steps, to the sum of the sizes
  // above the level. Returns false if any of these sums then exceeds `room`.
  bool FitsAbove(const Extent& item, Level room) {
    return Change([&](auto& rows) {
      return !rows.above.AddAndCompare(item.begin, item.end, item.size, room);
    });
  }
  Level MaxAbove(uint32_t begin, uint32_t end) const {
    return Read([&](const auto& rows) { return rows.above.Most(begin, end); });
  }
  Level above(uint32_t step) const {
    return Read([&](const auto& rows) { return rows.above.At(step); });
  }

 private:
  template <typename Row>
  struct Rows {
    Row remaining;
    Row lowest_levels;
    Row tops;
    Row above;
  };

  template <typename Loop>
  std::invoke_result_t<Loop, Rows<NarrowRow>&> Change(Loop loop) {
    return is_narrow_ ? loop(narrow_) : loop(wide_);
  }
  template <typename Loop>
  std::invoke_result_t<Loop, const Rows<NarrowRow>&> Read(Loop loop) const {
    return is_narrow_ ? loop(narrow_) : loop(wide_);
  }

  bool is_narrow_;
  Rows<NarrowRow> narrow_;  // either narrow_ or wide_ is empty
  Rows<WideRow> wide_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EXACT_STEP_LEVELS_H_
