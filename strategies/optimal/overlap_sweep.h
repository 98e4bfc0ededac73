// SPDX-License-Identifier: Apache-2.0
// The places of one item among others that it may overlap, with what each
// costs: for OverlapSearch (overlap_search.h), which chooses among them.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OVERLAP_SWEEP_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OVERLAP_SWEEP_H_

#include <cstdint>

#include "optimal/packing.h"
#include "optimal/sorted_edges.h"

namespace stowage::optimal {

// The highest level at which an item ends below the capacity.
inline Level HighestPlace(const Item& item, Level capacity) {
  return AlignDown(capacity - item.size, item.alignment);
}

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

  Level level() const { return level_; }

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
    top_ += is_under_ ? 0 : 1;
    return true;
  }

 private:
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
