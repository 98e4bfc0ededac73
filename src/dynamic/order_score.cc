// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/order_score.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/dynamic/compared_values.h"
#include "stowage/base/span.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/dynamic/stack_plan.h"

namespace stowage {
namespace {

// Compares the reserves and ratios of two scores, in the order of priority that
// `aim` gives. Returns a negative number if `a` is better, and 0 if they are
// equal.
int CompareScores(DynamicAim aim, const OrderScore& a, const OrderScore& b) {
  const auto compare = [](const auto& x, const auto& y) {
    if (x < y) return -1;
    return y < x ? 1 : 0;
  };
  const int reserve = compare(a.reserve, b.reserve);
  const int ratio = compare(a.ratio, b.ratio);
  if (aim == DynamicAim::kReserve) return reserve != 0 ? reserve : ratio;
  return ratio != 0 ? ratio : reserve;
}

}  // namespace

void OrderScore::Add(size_t index, size_t height, size_t need) {
  if (index == 0 || height > reserve) {
    reserve = height;
    highest = index;
  }
  const HeightRatio here = RatioOf(height, need);
  if (index == 0 || ratio < here) {
    ratio = here;
    worst = index;
  }
  excess += height > need ? height - need : 0;
}

bool IsBetterScore(DynamicAim aim, const OrderScore& a, const OrderScore& b) {
  const int order = CompareScores(aim, a, b);
  return order != 0 ? order < 0 : a.excess < b.excess;
}

bool IsAsGood(DynamicAim aim, const OrderScore& a, const OrderScore& b) {
  return CompareScores(aim, a, b) <= 0;
}

std::vector<size_t> HeightsOf(const DynamicProblem& problem,
                              const StackPlan& stack,
                              Span<const ComparedValue> compared) {
  std::vector<size_t> heights;
  heights.reserve(compared.size());
  std::vector<size_t> offsets(problem.size());
  for (const ComparedValue& value : compared) {
    // No end exceeds the sum of the largest padded sizes, and Problem::Create
    // has checked that this sum does not overflow.
    heights.push_back(*stack.Offsets(value.sizes, MakeSpan(offsets)));
  }
  return heights;
}

OrderScore ScoreOf(Span<const size_t> heights,
                   Span<const ComparedValue> compared) {
  OrderScore score;
  for (size_t v = 0; v < compared.size(); ++v) {
    score.Add(v, heights[v], compared[v].need);
  }
  return score;
}

OrderScore BoundOfScores(Span<const ComparedValue> compared) {
  OrderScore bound;
  for (size_t v = 0; v < compared.size(); ++v) {
    if (v == 0 || compared[v].bound > bound.reserve) {
      bound.reserve = compared[v].bound;
      bound.highest = v;
    }
  }
  return bound;
}

}  // namespace stowage
