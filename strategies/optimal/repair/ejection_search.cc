// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/ejection_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/neighbours.h"
#include "src/base/int128.h"
#include "src/base/work_limit.h"
#include "stowage/base/random.h"

namespace stowage::optimal {
namespace {

constexpr int kWeightBits = 16;
constexpr uint64_t kImpossible = std::numeric_limits<uint64_t>::max();

// Returns the square root, rounded down.
uint64_t Root(uint64_t square) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 31; bit > 0; bit /= 2) {
    const uint64_t next = root + bit;
    if (next * next <= square) root = next;
  }
  return root;
}

int BitsOf(uint128 value) {
  int bits = 0;
  for (; value > 0; value >>= 1) ++bits;
  return bits;
}

}  // namespace

// Visits levels in ascending order. For an item placed at the current level,
// keeps the sum of the costs of the items that it would eject.
class EjectionSearch::Sweep {
 public:
  explicit Sweep(const EjectionSearch& search) : search_(search) {}

  // Returns the cost of ejecting all items in [level, level + size), or
  // kImpossible if one of them is fixed. Requires that the levels of successive
  // calls are ascending.
  uint64_t CostAt(Level level, Level size) {
    const std::vector<Edge>& around = search_.around_;
    const std::vector<Edge>& tops = search_.tops_;
    for (; begun_ < around.size() && around[begun_].level < level + size;
         ++begun_) {
      Add(around[begun_].item, 1);
    }
    for (; ended_ < tops.size() && tops[ended_].level <= level; ++ended_) {
      Add(tops[ended_].item, -1);
    }
    return fixed_ > 0 ? kImpossible : cost_;
  }

 private:
  // Adds an item if `sign` is 1, or removes it again if `sign` is -1.
  void Add(uint32_t item, int sign) {
    if (search_.packing_.items[item].is_fixed()) {
      fixed_ += sign;
    } else {
      cost_ += static_cast<uint64_t>(sign) * search_.CostOf(item);
    }
  }

  const EjectionSearch& search_;
  size_t begun_ = 0;
  size_t ended_ = 0;
  uint64_t cost_ = 0;
  int64_t fixed_ = 0;  // the fixed items at the place
};

EjectionSearch::EjectionSearch(const Packing& packing,
                               const Neighbours& neighbours,
                               const std::vector<Level>& levels, Level capacity,
                               Manner manner, uint64_t seed,
                               const EjectionTuning& tuning)
    : packing_(packing),
      neighbours_(neighbours),
      capacity_(capacity),
      manner_(manner),
      tuning_(tuning),
      random_(seed),
      levels_(levels.size(), kUnplaced),
      penalties_(levels.size(), 1) {
  WeighItems(manner);
  for (uint32_t i = 0; i < levels.size(); ++i) {
    if (packing.items[i].is_fixed() ||
        levels[i] + packing.items[i].size <= capacity) {
      Place(i, levels[i]);
    } else {
      pool_.push_back(i);
    }
  }
}

// Sets the weights. Uses few bits for them, so that no sum of costs overflows.
void EjectionSearch::WeighItems(Manner manner) {
  uint128 max = 1;
  for (const Item& item : packing_.items) max = std::max(max, AreaOf(item));
  const bool is_root = manner == Manner::kLatest;
  const int bits = is_root ? 2 * kWeightBits : kWeightBits;
  const int surplus = std::max(0, BitsOf(max) - bits);
  weights_.reserve(packing_.items.size());
  for (const Item& item : packing_.items) {
    const auto weight = static_cast<uint64_t>(AreaOf(item) >> surplus);
    weights_.push_back(
        static_cast<uint32_t>(1 + (is_root ? Root(weight) : weight)));
  }
}

bool EjectionSearch::Run(uint64_t iterations, WorkLimit* work) {
  const uint64_t stop = iterations_ + iterations;
  while (!fits() && iterations_ < stop && work->left() > 0) {
    ++iterations_;
    const uint32_t index = TakeFromPool();
    const Item& item = packing_.items[index];
    TrySurroundings(index, work);
    Level level = LowestGap(item);
    if (level == kUnplaced) {
      penalties_[index] =
          std::min(penalties_[index] + 1, tuning_.highest_penalty);
      SortTops(item);
      level = CheapestPlace(item);
      Eject(level, item.size);
    }
    Place(index, level);
  }
  return fits();
}

uint32_t EjectionSearch::TakeFromPool() {
  if (manner_ == Manner::kAny) {
    std::swap(pool_[random_.Below(pool_.size())], pool_.back());
  }
  const uint32_t item = pool_.back();
  pool_.pop_back();
  return item;
}

bool EjectionSearch::IsFasterByScan(uint32_t item) const {
  return neighbours_.CountAtMost(item) * tuning_.scanned_per_found >
         levels_.size();
}

// Lists the lower ends of the placed items that share a step with the item,
// from the lowest to the highest.
void EjectionSearch::TrySurroundings(uint32_t item, WorkLimit* work) {
  const Item& self = packing_.items[item];
  around_.clear();
  is_scan_ = IsFasterByScan(item);
  if (is_scan_) {
    work->Spend(1 + levels_.size() / tuning_.scanned_per_found);
    for (const Edge& edge : lower_edges_) {
      if (edge.begin < self.end && self.begin < edge.end) {
        around_.push_back(edge);
      }
    }
    return;
  }
  neighbours_.Of(item, &found_);
  work->Spend(1 + found_.size());
  for (const uint32_t other : found_) {
    if (levels_[other] != kUnplaced) around_.push_back(LowerEdge(other));
  }
  std::sort(around_.begin(), around_.end());
}

// Lists the upper ends of the items that TrySurroundings has found, from the
// lowest to the highest.
void EjectionSearch::SortTops(const Item& item) {
  tops_.clear();
  if (is_scan_) {
    for (const Edge& edge : upper_edges_) {
      if (edge.begin < item.end && item.begin < edge.end) tops_.push_back(edge);
    }
    return;
  }
  for (const Edge& edge : around_) tops_.push_back(UpperEdge(edge.item));
  std::sort(tops_.begin(), tops_.end());
}

Level EjectionSearch::LowestGap(const Item& item) const {
  Level lowest_level = 0;
  for (const Edge& edge : around_) {
    const Level level = AlignLevel(lowest_level, item.alignment);
    if (level + item.size <= edge.level) return level;
    lowest_level =
        std::max(lowest_level, edge.level + packing_.items[edge.item].size);
  }
  const Level level = AlignLevel(lowest_level, item.alignment);
  return level + item.size <= capacity_ ? level : kUnplaced;
}

// Returns one of the cheapest places, chosen at random. The candidates are
// level 0 and the places directly above or below an item. They include the
// lowest level at which the item overlaps no fixed item, so a place is always
// found.
Level EjectionSearch::CheapestPlace(const Item& item) {
  Level best = kUnplaced;
  uint64_t least = kImpossible;
  uint64_t ties = 0;
  const auto weigh = [&](Sweep* sweep, Level level) {
    const uint64_t cost = sweep->CostAt(level, item.size);
    if (cost == kImpossible || cost > least) return;
    ties = cost == least ? ties + 1 : 1;
    least = cost;
    if (random_.Below(ties) == 0) best = level;
  };
  Sweep on_top(*this);
  Level last = 0;
  weigh(&on_top, last);
  for (const Edge& top : tops_) {
    const Level level = AlignLevel(top.level, item.alignment);
    if (level + item.size > capacity_) break;
    if (level > last) weigh(&on_top, last = level);
  }
  Sweep below(*this);
  last = 0;
  const auto weigh_below = [&](Level ceiling) {
    const Level level = AlignDown(ceiling - item.size, item.alignment);
    if (ceiling >= item.size && level > last) weigh(&below, last = level);
  };
  for (const Edge& bottom : around_) weigh_below(bottom.level);
  weigh_below(capacity_);
  return best;
}

void EjectionSearch::Eject(Level level, Level size) {
  for (const Edge& edge : around_) {
    if (edge.level >= level + size) break;
    if (edge.level + packing_.items[edge.item].size > level) TakeOut(edge.item);
  }
}

EjectionSearch::Edge EjectionSearch::LowerEdge(uint32_t item) const {
  const Item& self = packing_.items[item];
  return {levels_[item], item, self.begin, self.end};
}

EjectionSearch::Edge EjectionSearch::UpperEdge(uint32_t item) const {
  const Item& self = packing_.items[item];
  return {levels_[item] + self.size, item, self.begin, self.end};
}

void EjectionSearch::Place(uint32_t item, Level level) {
  levels_[item] = level;
  lower_edges_.insert(LowerEdge(item));
  upper_edges_.insert(UpperEdge(item));
}

void EjectionSearch::TakeOut(uint32_t item) {
  lower_edges_.erase(LowerEdge(item));
  upper_edges_.erase(UpperEdge(item));
  levels_[item] = kUnplaced;
  pool_.push_back(item);
}

}  // namespace stowage::optimal
