// SPDX-License-Identifier: Apache-2.0
// Defines the problem that a search solves: a packing of items, each of which
// has a lifetime and needs a level. To plan records, use OffsetsSearch
// (offsets_search.h), which converts records to packings (components.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EXACT_PACKING_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EXACT_PACKING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/int128.h"

namespace stowage::optimal {

// An offset, a height or a size, in units. A unit is the greatest common
// divisor of all sizes, alignments and fixed offsets; only offsets that are
// multiples of the unit need to be considered.
using Level = int64_t;

// A level above all levels in use, but still far from overflow. The top of the
// fixed items plus the sizes and paddings of all items must be below this
// level.
constexpr Level kMaxLevel = Level{1} << 61;

// The level of an item that has not been placed yet.
constexpr Level kUnplaced = -1;

// The steps during which an item is live, and its size.
struct Extent {
  uint32_t begin = 0;  // the steps are [begin, end)
  uint32_t end = 0;
  Level size = 0;  // is above 0
};

struct Item : Extent {
  Item() = default;
  // Initializes the members in order. Without this constructor, C++17 would
  // require extra braces for the base class.
  Item(uint32_t first_step, uint32_t end_step, Level levels, Level multiple = 1,
       uint32_t what = 0, Level fixed_at = kUnplaced, uint64_t tasks = 1)
      : Extent{first_step, end_step, levels},
        alignment(multiple),
        record(what),
        fixed_level(fixed_at),
        lifetime(tasks) {}

  Level alignment = 1;            // is in units, and need not be a power of two
  uint32_t record = 0;            // the record that the item stands for
  Level fixed_level = kUnplaced;  // the level of the item, if the item is fixed
  // The lifetime in tasks. May exceed the number of steps, because a step
  // represents one or more tasks.
  uint64_t lifetime = 1;

  bool is_fixed() const { return fixed_level != kUnplaced; }
};

inline uint128 AreaOf(const Extent& item) {
  return uint128(static_cast<uint64_t>(item.size)) * (item.end - item.begin);
}

inline bool Overlap(const Extent& a, const Extent& b) {
  return a.begin < b.end && b.begin < a.end;
}

inline Level AlignLevel(Level level, Level alignment) {
  if (alignment == 1) return level;
  return (level + alignment - 1) / alignment * alignment;
}

inline Level AlignDown(Level level, Level alignment) {
  return alignment == 1 ? level : level / alignment * alignment;
}

struct Packing {
  std::vector<Item> items;  // fixed items do not overlap each other
  uint32_t steps = 0;       // no item ends after this step
};

// The known bounds of a packing: a proved lower bound, and the plan `levels`
// with the top `upper`.
struct Known {
  Level lower = 0;
  Level upper = 0;
  std::vector<Level> levels;
};

// Returns the indices of the items that are not fixed, in ascending order.
std::vector<uint32_t> MovableItems(const Packing& packing);

// Returns the top of a packing with these levels.
Level TopOf(const Packing& packing, const std::vector<Level>& levels);

// Returns the top of the highest fixed item, or 0 if no item is fixed.
Level TopOfFixed(const Packing& packing);

// Returns a height that is sufficient for the packing: an upper bound of the
// height of a stack in which the fixed items are at the bottom and all other
// items are on top of each other above them.
Level TopOfStack(const Packing& packing);

// Returns the levels of the items in the stack described at TopOfStack. The top
// of this stack is at most TopOfStack.
std::vector<Level> StackLevels(const Packing& packing);

// Returns the largest sum of sizes at any step, which is a lower bound of the
// height. O(items + steps).
Level MaximumBreadth(const Packing& packing);

// A step, and a height that the items live at this step need.
struct StepHeight {
  Level height = 0;
  uint32_t step = 0;
};

// Returns the step at which the items need the greatest height because of their
// alignments. All items begin at multiples of one grid, the greatest common
// divisor of their alignments, so every item at a step except the topmost one
// occupies a multiple of this grid. Ignores steps with fixed items and steps at
// which no item needs padding; if no other step remains, the height is 0.
// O(steps + items log items).
StepHeight TallestStep(const Packing& packing);

// The fixed items of a packing, around which all other items are placed.
class Obstacles {
 public:
  // The packing must outlive this object. O(items + fixed log fixed).
  explicit Obstacles(const Packing& packing);

  // Returns the lowest aligned level, at or above `level`, at which the item
  // overlaps no fixed item. The result is nondecreasing in `level`. O(fixed).
  Level LowestPlace(const Item& item, Level level) const {
    level = AlignLevel(level, item.alignment);
    return by_level_.empty() ? level : PlaceAround(item, level);
  }

  // Returns the fixed items by rising level.
  const std::vector<const Item*>& by_level() const { return by_level_; }

 private:
  Level PlaceAround(const Item& item, Level level) const;

  std::vector<const Item*> by_level_;
};

// Returns a lower bound of the height of a packing, which is the highest of
// these levels:
//
// - MaximumBreadth;
// - the tops of the fixed items;
// - the top of each other item at its lowest place around the fixed items;
// - for each step, the level below which the fixed items leave enough room for
//   the other items that are live at the step.
//
// O(items + steps) without fixed items, and O((items + steps) * fixed) with
// fixed items. If this would take too much time, returns a weaker bound in less
// time.
Level LowerBoundOf(const Packing& packing);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EXACT_PACKING_H_
