// SPDX-License-Identifier: Apache-2.0
// What a PackingSearch counts at each step of a packing: sizes that remain to
// be placed, how low something can still lie, and sizes above a level. To count
// something else by step, use the rows that it is made of (step_rows.h).
//
// Most of what a node costs is loops over the steps of an item. So they are
// done with 16 bits a number where these suffice, eight at a time with what
// every processor of 64 bits has; else with a Level each. (32 bits are no
// faster than 64: what finds the smaller of two comes with later processors.)
// The answers are the same.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_STEP_LEVELS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_STEP_LEVELS_H_

#include <cstdint>
#include <type_traits>

#include "optimal/packing.h"
#include "optimal/step_rows.h"

namespace stowage::optimal {

// Every function is O(steps of the item), or O(end - begin).
class StepLevels {
 public:
  // Requires that no sum at a step, and no room or level that is passed, will
  // be above `most` or negative. Sums are 0.
  StepLevels(uint32_t steps, Level most) : is_narrow_(most <= kMostNarrow) {
    Change([&](auto& rows) {
      rows.remaining.Assign(steps, 0);
      rows.floors.Assign(steps, kMaxLevel);
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
  // The most that remains at one of the steps.
  Level MostRemaining(uint32_t begin, uint32_t end) const {
    return Read(
        [&](const auto& rows) { return rows.remaining.Most(begin, end); });
  }
  bool RemainsAtMost(const Extent& item, Level room) const {
    return Read([&](const auto& rows) {
      return !rows.remaining.IsAnyAbove(item.begin, item.end, room);
    });
  }

  // Nothing covers these steps.
  void ClearLowest(uint32_t begin, uint32_t end) {
    Change([&](auto& rows) {
      rows.floors.Fill(begin, end, kMaxLevel);
      rows.tops.Fill(begin, end, kMaxLevel);
    });
  }
  // Lets an item that can lie at `floor` or above get under others.
  void Cover(const Extent& item, Level floor) {
    Change([&](auto& rows) {
      rows.floors.Lower(&rows.tops, item.begin, item.end,
                        {floor, floor + item.size});
    });
  }
  // The same where no more than `room` remains, and for tops alone. True if
  // more remains at one of its steps.
  bool CoverWhereFits(const Extent& item, Level floor, Level room) {
    return Change([&](auto& rows) {
      return rows.tops.LowerWhereFits(rows.remaining, room, item.begin,
                                      item.end, floor + item.size);
    });
  }
  // The lowest floor and the lowest top of what covers a step of the item;
  // kMaxLevel if nothing does.
  LevelPair FindLowest(const Extent& item) const {
    return Read([&](const auto& rows) {
      return rows.floors.Least(rows.tops, item.begin, item.end);
    });
  }
  // The highest of the lowest tops at those of its steps where more than `room`
  // remains; 0 if that is nowhere.
  Level HighestWhereBlocked(const Extent& item, Level room) const {
    return Read([&](const auto& rows) {
      return rows.tops.MostWhereBlocked(rows.remaining, room, item.begin,
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
  // The same for an item. False if more than `room` is above one of its steps.
  bool FitsAbove(const Extent& item, Level room) {
    return Change([&](auto& rows) {
      return !rows.above.AddAndCompare(item.begin, item.end, item.size, room);
    });
  }
  Level MostAbove(uint32_t begin, uint32_t end) const {
    return Read([&](const auto& rows) { return rows.above.Most(begin, end); });
  }
  Level above(uint32_t step) const {
    return Read([&](const auto& rows) { return rows.above.At(step); });
  }

 private:
  template <typename Row>
  struct Rows {
    Row remaining;
    Row floors;
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
  Rows<NarrowRow> narrow_;  // of one kind there are none
  Rows<WideRow> wide_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_STEP_LEVELS_H_
