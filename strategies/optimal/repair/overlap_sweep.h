// SPDX-License-Identifier: Apache-2.0
// Computes the cost of each place of an item from the sorted ends of its
// neighbours, for OverlapSearch (overlap_search.h). If the number of neighbours
// is large compared with the number of levels, CostMap (cost_map.h) is faster.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_OVERLAP_SWEEP_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_OVERLAP_SWEEP_H_

#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/overlap_place.h"
#include "optimal/repair/sorted_edges.h"

namespace stowage::optimal {

// Visits, in ascending order, enough places to find a cheapest one: level 0,
// the places directly above or below a neighbour, and the highest place. At all
// levels between two successive places, the item overlaps the same neighbours,
// and its cost is concave in the level, so no level between the two places is
// cheaper than both of them.
class OverlapSweep {
 public:
  OverlapSweep(const Item& item, Level capacity, const EdgeSum* bottoms,
               const EdgeSum* tops)
      : size_(item.size),
        alignment_(item.alignment),
        highest_(HighestPlace(item, capacity)),
        bottom_(bottoms),
        top_(tops),
        bottom_below_(bottoms),
        top_reached_(tops) {
    Reach();
  }

  // Sets `places` to all places of the sweep with their costs, without
  // duplicates. O(edges).
  void List(std::vector<OverlapPlace>* places) {
    places->clear();
    do {
      // After alignment, or at level 0, two successive places may have the same
      // level. Such a level is listed only once.
      if (!places->empty() && places->back().level == level_) continue;
      places->push_back({level_, touch() + depth()});
    } while (Next());
  }

 private:
  // Returns the sum of the constant costs of the overlaps at the current place.
  // These costs do not depend on the depths of the overlaps.
  uint64_t touch() const { return bottom_->touch - top_->touch; }

  // Returns the sum of the variable costs of the overlaps at the current place.
  // These costs grow with the depths of the overlaps.
  uint64_t depth() {
    const Level end = level_ + size_;
    while (bottom_below_->level < level_) ++bottom_below_;
    while (top_reached_->level < end) ++top_reached_;
    return DepthBelow(*bottom_, *top_reached_, end) -
           DepthBelow(*bottom_below_, *top_, level_);
  }

  // Moves to the next place. Returns false if there is no next place.
  bool Next() {
    if (level_ == highest_) return false;
    bottom_ += is_under_ ? 1 : 0;
    const Level above = AlignLevel(top_->level, alignment_);
    const Level under = AlignDown(bottom_->level - size_, alignment_);
    is_under_ = under < above;
    level_ = is_under_ ? under : above;
    if (level_ >= highest_) {
      level_ = highest_;
      Reach();
      return true;
    }
    // Several tops may be at this level, or aligned to it. Skips all of them.
    while (top_->level <= level_) ++top_;
    return true;
  }

  // Advances bottom_ and top_ past the ends below the current place, which is
  // level 0 or the highest place.
  void Reach() {
    while (bottom_->level < level_ + size_) ++bottom_;
    while (top_->level <= level_) ++top_;
  }

  // Returns the sum, over all bottoms before `bottom`, of the slope of the edge
  // times its distance to `level`, minus the same sum over all tops before
  // `top`.
  static uint64_t DepthBelow(const EdgeSum& bottom, const EdgeSum& top,
                             Level level) {
    return (bottom.slope - top.slope) * static_cast<uint64_t>(level) -
           (bottom.moment - top.moment);
  }

  const Level size_;
  const Level alignment_;
  const Level highest_;
  Level level_ = 0;
  bool is_under_ = false;
  const EdgeSum* bottom_;  // the first bottom at or above the end of the place
  const EdgeSum* top_;     // the first top above the level of the place
  // The first bottom at or above the level of the place.
  const EdgeSum* bottom_below_;
  // The first top at or above the end of the place.
  const EdgeSum* top_reached_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_OVERLAP_SWEEP_H_
