// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/overlap_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/cost_map.h"
#include "optimal/repair/overlap_pairs.h"
#include "optimal/repair/overlap_place.h"
#include "optimal/repair/overlap_sweep.h"
#include "optimal/repair/sorted_edges.h"
#include "optimal/search_tuning.h"
#include "src/base/work_limit.h"
#include "stowage/base/random.h"

namespace stowage::optimal {
namespace {

// The maximum of the depth-dependent part of the cost of a pair with weight 1,
// which is reached if the two items overlap as deeply as they can. The sum over
// OverlapPairs::kMaxOfAnItem pairs is below 2^64.
constexpr uint64_t kFullDepth = uint64_t{1} << 36;
constexpr uint32_t kMaxWeight = 1 << 12;

// The approximate number of levels that a map visits in the time that it takes
// to sort the edges of one side. This number affects only the time, and no
// plan.
constexpr uint64_t kLevelsPerSide = 20;

constexpr uint32_t kNowhere = std::numeric_limits<uint32_t>::max();

// Returns `levels`, lowered where necessary so that all items end within the
// capacity.
std::vector<Level> LoweredTo(Level capacity, const Packing& packing,
                             std::vector<Level> levels) {
  for (size_t i = 0; i < levels.size(); ++i) {
    const Item& item = packing.items[i];
    if (item.is_fixed()) continue;
    levels[i] = std::min(levels[i], HighestPlace(item, capacity));
  }
  return levels;
}

std::vector<Level> TopsOf(const Packing& packing,
                          const std::vector<Level>& levels) {
  std::vector<Level> tops;
  tops.reserve(levels.size());
  for (size_t i = 0; i < levels.size(); ++i) {
    tops.push_back(levels[i] + packing.items[i].size);
  }
  return tops;
}

}  // namespace

OverlapSearch::OverlapSearch(const Packing& packing, const OverlapPairs& pairs,
                             const std::vector<Level>& levels, Level capacity,
                             uint64_t seed, const OverlapTuning& tuning)
    : packing_(packing),
      pairs_(pairs),
      capacity_(capacity),
      tuning_(tuning),
      touch_(tuning.touch * (kFullDepth / 16)),
      random_(seed),
      bottoms_(LoweredTo(capacity, packing, levels)),
      tops_(TopsOf(packing, bottoms_.levels())),
      weights_(pairs.size(), 1),
      counts_(levels.size(), 0),
      places_(levels.size(), kNowhere) {
  const std::vector<Item>& items = packing.items;
  slopes_.reserve(pairs.size());
  for (uint32_t i = 0; i < items.size(); ++i) {
    for (size_t side = pairs.SidesBegin(i); side < pairs.SidesEnd(i); ++side) {
      const uint32_t other = pairs[side].other;
      const Level deepest = std::min(items[i].size, items[other].size);
      slopes_.push_back(kFullDepth / static_cast<uint64_t>(deepest));
      counts_[i] += DepthOf(i, other) > 0 ? 1 : 0;
    }
    Enlist(i);
    if (IsForMap(pairs.SidesEnd(i) - pairs.SidesBegin(i)) && !map_.is_made()) {
      map_ = CostMap(capacity);
    }
  }
}

bool OverlapSearch::Run(uint64_t iterations, WorkLimit* work) {
  const uint64_t stop = iterations_ + iterations;
  while (!fits() && iterations_ < stop && work->left() > 0) {
    MoveItem(SampleItem(), stop, work);
  }
  return fits();
}

// Returns a random item that overlaps others. On average, one in
// `bystander_period` calls instead returns a random item that is live together
// with that item, unless this neighbour is fixed. If the neighbour then moves,
// the overlapping item or another one may find room in its old place.
uint32_t OverlapSearch::SampleItem() {
  const uint32_t item = overlapping_[random_.Below(overlapping_.size())];
  if (tuning_.bystander_period == 0 ||
      random_.Below(tuning_.bystander_period) != 0) {
    return item;
  }
  const size_t begin = pairs_.SidesBegin(item);
  const size_t count = pairs_.SidesEnd(item) - begin;
  const uint32_t other = pairs_[begin + random_.Below(count)].other;
  return packing_.items[other].is_fixed() ? item : other;
}

void OverlapSearch::MoveItem(uint32_t item, uint64_t stop, WorkLimit* work) {
  ListPlaces(item, work);
  const Choice choice = ChoosePlace(item);
  const bool is_stuck = choice.gain == 0 && counts_[item] > 0;
  if (is_stuck && MakeRoom(item, choice.cost, stop, work)) return;
  if (choice.level != levels()[item]) Move(item, choice.level);
  if (is_stuck) RaiseWeights(item);
}

// Sets candidates_ to the places where an item may be put.
void OverlapSearch::ListPlaces(uint32_t item, WorkLimit* work) {
  ++iterations_;
  const size_t sides = pairs_.SidesEnd(item) - pairs_.SidesBegin(item);
  work->Spend(1 + sides);
  if (IsForMap(sides)) {
    ListByMap(item);
  } else {
    ListBySweep(item);
  }
}

bool OverlapSearch::IsForMap(size_t sides) const {
  return static_cast<uint64_t>(capacity_) <= sides * kLevelsPerSide;
}

void OverlapSearch::ListByMap(uint32_t item) {
  const size_t end = pairs_.SidesEnd(item);
  map_.Begin(packing_.items[item]);
  for (size_t side = pairs_.SidesBegin(item); side < end; ++side) {
    const uint32_t other = pairs_[side].other;
    map_.Add(levels()[other], tops_.levels()[other], weights_[side] * touch_,
             weights_[side] * slopes_[side]);
  }
  map_.List(&candidates_);
}

void OverlapSearch::ListBySweep(uint32_t item) {
  const size_t end = pairs_.SidesEnd(item);
  for (size_t side = pairs_.SidesBegin(item); side < end; ++side) {
    bottoms_.Mark(pairs_[side].other, static_cast<uint32_t>(side));
    tops_.Mark(pairs_[side].other, static_cast<uint32_t>(side));
  }
  const auto cost_of = [&](uint32_t side, uint64_t* touch, uint64_t* slope) {
    *touch = weights_[side] * touch_;
    *slope = weights_[side] * slopes_[side];
  };
  OverlapSweep(packing_.items[item], capacity_, bottoms_.SumMarked(cost_of),
               tops_.SumMarked(cost_of))
      .List(&candidates_);
}

// Returns one of the cheapest candidates, chosen at random. Returns the current
// place only if all other candidates cost more.
OverlapSearch::Choice OverlapSearch::ChoosePlace(uint32_t item) {
  const Level present = levels()[item];
  const uint64_t present_cost = CostOf(item);
  uint64_t least = present_cost;
  uint64_t ties = 0;
  Choice choice;
  choice.level = present;
  for (const OverlapPlace& place : candidates_) {
    if (place.cost > least || place.level == present) continue;
    ties = place.cost == least ? ties + 1 : 1;
    least = place.cost;
    if (random_.Below(ties) == 0) choice.level = place.level;
  }
  choice.cost = least;
  choice.gain = present_cost - least;
  return choice;
}

// Returns the cost of the item at its current place.
uint64_t OverlapSearch::CostOf(uint32_t item) const {
  uint64_t cost = 0;
  uint32_t left = counts_[item];
  for (size_t side = pairs_.SidesBegin(item); left > 0; ++side) {
    const Level depth = DepthOf(item, pairs_[side].other);
    if (depth <= 0) continue;
    --left;
    cost += weights_[side] *
            (touch_ + slopes_[side] * static_cast<uint64_t>(depth));
  }
  return cost;
}

// Moves an item. A single pass over its neighbours updates the number of
// overlaps of the item and of each neighbour.
void OverlapSearch::Move(uint32_t item, Level level) {
  const Level old_bottom = levels()[item];
  const Level old_top = tops_.levels()[item];
  const Level top = level + packing_.items[item].size;
  const size_t end = pairs_.SidesEnd(item);
  for (size_t side = pairs_.SidesBegin(item); side < end; ++side) {
    const uint32_t other = pairs_[side].other;
    const Level other_bottom = levels()[other];
    const Level other_top = tops_.levels()[other];
    const bool did = other_bottom < old_top && old_bottom < other_top;
    const bool does = other_bottom < top && level < other_top;
    if (did == does) continue;
    const uint32_t change = does ? 1 : ~uint32_t{0};
    counts_[item] += change;
    counts_[other] += change;
    Enlist(other);
  }
  bottoms_.Move(item, level);
  tops_.Move(item, top);
  Enlist(item);
}

// Adds an item to the list of overlapping items, or removes it from the list,
// depending on whether it overlaps others now.
void OverlapSearch::Enlist(uint32_t item) {
  const bool belongs = counts_[item] > 0 && !packing_.items[item].is_fixed();
  const uint32_t place = places_[item];
  if (belongs == (place != kNowhere)) return;
  if (belongs) {
    places_[item] = static_cast<uint32_t>(overlapping_.size());
    overlapping_.push_back(item);
    return;
  }
  overlapping_[place] = overlapping_.back();
  places_[overlapping_[place]] = place;
  overlapping_.pop_back();
  places_[item] = kNowhere;
}

void OverlapSearch::RaiseWeights(uint32_t item) {
  bool is_full = false;
  const size_t end = pairs_.SidesEnd(item);
  for (size_t side = pairs_.SidesBegin(item); side < end; ++side) {
    if (DepthOf(item, pairs_[side].other) <= 0) continue;
    weights_[pairs_[side].mirror] = ++weights_[side];
    is_full = is_full || weights_[side] >= kMaxWeight;
  }
  if (!is_full) return;
  for (uint32_t& weight : weights_) weight = (weight + 1) / 2;
}

}  // namespace stowage::optimal
