// The problem of a search: items that share a stretch of time.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_PACKING_H_
#define STOWAGE_STRATEGIES_OPTIMAL_PACKING_H_

#include <cstdint>
#include <vector>

namespace stowage::optimal {

// Sizes and levels count units: the greatest common divisor of all sizes and
// alignments, so that no level in between is ever looked at.
using Level = int64_t;

// Higher than any level, and still far from an overflow: the sum of all sizes
// and paddings of a packing must stay below it.
constexpr Level kMaxLevel = Level{1} << 61;

struct Item {
  uint32_t begin = 0;  // steps [begin, end)
  uint32_t end = 0;
  Level size = 0;       // above 0
  Level alignment = 1;  // in units, any number
  uint32_t record = 0;  // what it stands for
  // The lowest and the highest level allowed; the same where it cannot move.
  Level lowest = 0;
  Level highest = kMaxLevel;
};

inline Level AlignLevel(Level level, Level alignment) {
  if (alignment == 1) return level;
  return (level + alignment - 1) / alignment * alignment;
}

struct Packing {
  std::vector<Item> items;
  uint32_t steps = 0;  // no item ends later
};

// The most that is alive at one step: no packing ends lower.
inline Level MostAlive(const Packing& packing) {
  std::vector<Level> change(packing.steps + 1, 0);
  for (const Item& item : packing.items) {
    change[item.begin] += item.size;
    change[item.end] -= item.size;
  }
  Level alive = 0;
  Level most = 0;
  for (const Level by : change) {
    alive += by;
    most = alive > most ? alive : most;
  }
  return most;
}

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_PACKING_H_
