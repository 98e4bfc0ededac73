// SPDX-License-Identifier: Apache-2.0
// The problem that a search solves: items with a place in time, each of which
// needs a level. To plan records, use OffsetsSearch (offsets_search.h), which
// makes packings of them (components.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_PACKING_H_
#define STOWAGE_STRATEGIES_OPTIMAL_PACKING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"

namespace stowage::optimal {

// Sizes and levels count units: the greatest common divisor of all sizes,
// alignments and fixed offsets, so that no level in between is ever looked at.
using Level = int64_t;

// Higher than any level, and still far from an overflow: the sum of all sizes
// and paddings of a packing above its fixed items must stay below it.
constexpr Level kMaxLevel = Level{1} << 61;

// The level of an item whose place is still to be found.
constexpr Level kUnplaced = -1;

// What an item takes.
struct Extent {
  uint32_t begin = 0;  // steps [begin, end)
  uint32_t end = 0;
  Level size = 0;  // above 0
};

struct Item : Extent {
  Item() = default;
  // As if the members were listed: a base is no part of that without braces of
  // its own.
  Item(uint32_t first_step, uint32_t end_step, Level levels, Level multiple = 1,
       uint32_t what = 0, Level fixed_at = kUnplaced, uint64_t tasks = 1)
      : Extent{first_step, end_step, levels},
        alignment(multiple),
        record(what),
        fixed_level(fixed_at),
        lifetime(tasks) {}

  Level alignment = 1;            // in units, any number
  uint32_t record = 0;            // what it stands for
  Level fixed_level = kUnplaced;  // where it must lie, if it is fixed
  uint64_t lifetime = 1;  // in tasks, of which a step stands for one or many

  bool is_fixed() const { return fixed_level != kUnplaced; }
};

inline absl::uint128 AreaOf(const Extent& item) {
  return absl::uint128(static_cast<uint64_t>(item.size)) *
         (item.end - item.begin);
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
  std::vector<Item> items;  // fixed ones do not overlap in time and level
  uint32_t steps = 0;       // no item ends later
};

// What is known about a packing: a proved bound, and levels that end at upper.
struct Known {
  Level lower = 0;
  Level upper = 0;
  std::vector<Level> levels;
};

// Where a packing with these levels ends.
Level TopOf(const Packing& packing, const std::vector<Level>& levels);

// Where the highest fixed item ends; 0 if there is none.
Level TopOfFixed(const Packing& packing);

// Where all items end that are not fixed, on top of each other and of the fixed
// ones: enough for any packing.
Level TopOfStack(const Packing& packing);

// Levels of all items, on top of each other and of the fixed ones: they end at
// TopOfStack or below.
std::vector<Level> StackLevels(const Packing& packing);

// The largest sum of sizes at one step: no packing ends lower. O(items +
// steps).
Level MaximumBreadth(const Packing& packing);

// The fixed items of a packing: what the others are placed around.
class Obstacles {
 public:
  // The packing must outlive the object. O(items + fixed log fixed).
  explicit Obstacles(const Packing& packing);

  // The lowest aligned level from `level` on at which the item overlaps no
  // fixed one. It rises with `level`. O(fixed).
  Level LowestPlace(const Item& item, Level level) const {
    level = AlignLevel(level, item.alignment);
    return by_level_.empty() ? level : PlaceAround(item, level);
  }

  // By rising level.
  const std::vector<const Item*>& by_level() const { return by_level_; }

 private:
  Level PlaceAround(const Item& item, Level level) const;

  std::vector<const Item*> by_level_;
};

// A level that no packing ends below: MaximumBreadth, and what fixed items add
// to it. They have their own ends; each item has a lowest place around them;
// and the items of a step need room below, between and above them. O(items +
// steps) without fixed items, else O((items + steps) * fixed), or less and a
// weaker bound where that is a lot.
Level LowerBoundOf(const Packing& packing);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_PACKING_H_
