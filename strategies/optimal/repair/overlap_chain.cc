// SPDX-License-Identifier: Apache-2.0
// Implements the chains with which an OverlapSearch makes room for an item that
// is stuck: the item moves to a place where it overlaps a few others, and these
// move on in a chain. The whole chain is undone unless it lowers the cost of
// the packing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/overlap_place.h"
#include "optimal/repair/overlap_search.h"
#include "src/base/work_limit.h"

namespace stowage::optimal {

// Sets cheapest_ to the cheapest candidates, except the current place of the
// item.
void OverlapSearch::ListCheapest(uint32_t item) {
  cheapest_.clear();
  for (const OverlapPlace& place : candidates_) {
    if (place.level != levels()[item]) cheapest_.push_back(place);
  }
  const size_t kept = std::min(cheapest_.size(), tuning_.chain_starts);
  std::partial_sort(
      cheapest_.begin(), cheapest_.begin() + static_cast<ptrdiff_t>(kept),
      cheapest_.end(), [](const OverlapPlace& a, const OverlapPlace& b) {
        return a.cost != b.cost ? a.cost < b.cost : a.level < b.level;
      });
  cheapest_.resize(kept);
}

// Tries chains from the cheapest places. Returns whether a chain has lowered
// the cost of the packing; otherwise all items are back at their old places.
// Requires that the item costs `cost` at its current place, and at least as
// much at every candidate.
bool OverlapSearch::MakeRoom(uint32_t item, uint64_t cost, uint64_t stop,
                             WorkLimit* work) {
  ListCheapest(item);
  for (const OverlapPlace& place : cheapest_) {
    if (!BeginChain(item, place.level)) continue;
    const uint64_t loss = place.cost - cost;
    if (FollowChain(item, place.level, loss, stop, work)) return true;
    if (iterations_ >= stop || work->left() == 0) return false;
  }
  return false;
}

// Sets chain_ to the items that the item would overlap at `level`. Returns
// false if there are too many of them, or if one of them is fixed.
bool OverlapSearch::BeginChain(uint32_t item, Level level) {
  chain_.clear();
  const Level top = level + packing_.items[item].size;
  const size_t end = pairs_.SidesEnd(item);
  for (size_t side = pairs_.SidesBegin(item); side < end; ++side) {
    const uint32_t other = pairs_[side].other;
    if (levels()[other] >= top || tops_.levels()[other] <= level) continue;
    if (chain_.size() == tuning_.chain_overlaps ||
        packing_.items[other].is_fixed()) {
      return false;
    }
    chain_.push_back(other);
  }
  return true;
}

// Moves the item to a level at which it costs `loss` more. Then moves each item
// of the chain to its cheapest place, until the sum of the gains exceeds
// `loss`. If this never happens, undoes all moves and returns false.
bool OverlapSearch::FollowChain(uint32_t item, Level level, uint64_t loss,
                                uint64_t stop, WorkLimit* work) {
  const size_t max = chain_.size() + tuning_.chain_growth;
  undo_.clear();
  const auto move = [this](uint32_t moved, Level to) {
    undo_.push_back({moved, levels()[moved]});
    Move(moved, to);
  };
  move(item, level);
  // ExtendChain appends items to the chain while this loop runs.
  for (size_t next = 0; next < chain_.size();) {
    const uint32_t other = chain_[next++];
    if (counts_[other] == 0) continue;
    if (iterations_ >= stop || work->left() == 0) break;
    ListPlaces(other, work);
    const Choice choice = ChoosePlace(other);
    if (choice.level != levels()[other]) move(other, choice.level);
    if (choice.gain > loss) return true;
    loss -= choice.gain;
    if (counts_[other] > 0) ExtendChain(item, other, max);
  }
  for (; !undo_.empty(); undo_.pop_back()) {
    Move(undo_.back().item, undo_.back().level);
  }
  return false;
}

// Appends the items that overlap `link` to the chain that began with `item`, up
// to a length of `max`.
void OverlapSearch::ExtendChain(uint32_t item, uint32_t link, size_t max) {
  const size_t end = pairs_.SidesEnd(link);
  for (size_t side = pairs_.SidesBegin(link); side < end && chain_.size() < max;
       ++side) {
    const uint32_t other = pairs_[side].other;
    if (other == item || DepthOf(link, other) <= 0 ||
        packing_.items[other].is_fixed() ||
        std::find(chain_.begin(), chain_.end(), other) != chain_.end()) {
      continue;
    }
    chain_.push_back(other);
  }
}

}  // namespace stowage::optimal
