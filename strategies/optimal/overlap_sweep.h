// SPDX-License-Identifier: Apache-2.0
// What each place costs an item, from the sorted edges of the others around it:
// for OverlapSearch (overlap_search.h). Where these are many beside the levels
// there are, CostMap (cost_map.h) is faster.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OVERLAP_SWEEP_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OVERLAP_SWEEP_H_

#include <cstdint>
#include <vector>

#include "optimal/overlap_place.h"
#include "optimal/packing.h"
#include "optimal/sorted_edges.h"

namespace stowage::optimal {

// Passes the places that may be the cheapest, from the lowest: the floor,
// on top of something, right below something, and the very top. Between two of
// them it touches the same, and all together are no deeper at one end.
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

  // Sets `places` to all of them, each once. O(edges).
  void List(std::vector<OverlapPlace>* places) {
    places->clear();
    do {
      // Alignments and the floor make one of two.
      if (!places->empty() && places->back().level == level_) continue;
      places->push_back({level_, touch() + depth()});
    } while (Next());
  }

 private:
  // What it costs there that pairs overlap at all.
  uint64_t touch() const { return bottom_->touch - top_->touch; }

  // What it costs there that they overlap so deep.
  uint64_t depth() {
    const Level end = level_ + size_;
    while (bottom_below_->level < level_) ++bottom_below_;
    while (top_reached_->level < end) ++top_reached_;
    return DepthBelow(*bottom_, *top_reached_, end) -
           DepthBelow(*bottom_below_, *top_, level_);
  }

  // Moves on; false if there is no place left.
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
    // Several may end there, or be aligned to there.
    while (top_->level <= level_) ++top_;
    return true;
  }

  // Passes all edges that lie below the place.
  void Reach() {
    while (bottom_->level < level_ + size_) ++bottom_;
    while (top_->level <= level_) ++top_;
  }

  // What all depth below a level comes to.
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
  const EdgeSum* bottom_;  // the first one at the end of the place or above
  const EdgeSum* top_;     // the first one above its level
  const EdgeSum* bottom_below_;  // the first one at its level or above
  const EdgeSum* top_reached_;   // the first one at its end or above
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OVERLAP_SWEEP_H_
