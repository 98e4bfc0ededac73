// SPDX-License-Identifier: Apache-2.0
// Scores a stacking order by its heights at the compared values.
#ifndef STOWAGE_SRC_DYNAMIC_ORDER_SCORE_H_
#define STOWAGE_SRC_DYNAMIC_ORDER_SCORE_H_

#include <cstddef>
#include <vector>

#include "src/base/int128.h"
#include "src/dynamic/compared_values.h"
#include "stowage/base/span.h"
#include "stowage/dynamic/plan_dynamic.h"

namespace stowage {

// The quotient of a height and a need. It is 1 if both are 0, and infinite if
// only the need is 0.
struct HeightRatio {
  size_t height = 1;
  size_t need = 1;

  friend bool operator<(const HeightRatio& a, const HeightRatio& b) {
    return uint128(a.height) * b.need < uint128(b.height) * a.need;
  }
};

inline HeightRatio RatioOf(size_t height, size_t need) {
  return height == 0 && need == 0 ? HeightRatio() : HeightRatio{height, need};
}

struct OrderScore {
  size_t reserve = 0;  // the largest height
  HeightRatio ratio;   // the largest ratio of all values
  size_t highest = 0;  // the index of the value with the largest height
  size_t worst = 0;    // the index of the value with the largest ratio
  // The total number of bytes by which heights exceed needs. Breaks ties
  // between orders with equal reserves and ratios.
  uint128 excess = 0;

  // Adds the height at the next compared value, which has this index.
  void Add(size_t index, size_t height, size_t need);
};

// Returns whether `a` is better than `b`. If their reserves and ratios are
// equal, the lower excess is better.
bool IsBetterScore(DynamicAim aim, const OrderScore& a, const OrderScore& b);

// Returns whether `a` is at least as good as `b`, regardless of the excess.
bool IsAsGood(DynamicAim aim, const OrderScore& a, const OrderScore& b);

// Returns the heights of an order at all compared values.
std::vector<size_t> HeightsOf(const DynamicProblem& problem,
                              const StackPlan& stack,
                              Span<const ComparedValue> compared);

OrderScore ScoreOf(Span<const size_t> heights,
                   Span<const ComparedValue> compared);

// Returns a score that no order can beat: the largest bound and a ratio of 1.
OrderScore BoundOfScores(Span<const ComparedValue> compared);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_ORDER_SCORE_H_
