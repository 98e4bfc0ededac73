// The problem of a search: items that share a stretch of time.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_PACKING_H_
#define STOWAGE_STRATEGIES_OPTIMAL_PACKING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
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
  std::vector<Level> alive(packing.steps + size_t{1}, 0);
  for (const Item& item : packing.items) {
    alive[item.begin] += item.size;
    alive[item.end] -= item.size;
  }
  std::partial_sum(alive.begin(), alive.end(), alive.begin());
  return *std::max_element(alive.begin(), alive.end());
}

// What is known about a packing: a proved bound, and levels that end at upper.
struct Known {
  Level lower = 0;
  Level upper = 0;
  std::vector<Level> levels;
};

// Where a packing with these levels ends.
inline Level TopOf(const Packing& packing, const std::vector<Level>& levels) {
  Level top = 0;
  for (size_t i = 0; i < levels.size(); ++i) {
    top = std::max(top, levels[i] + packing.items[i].size);
  }
  return top;
}

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_PACKING_H_
