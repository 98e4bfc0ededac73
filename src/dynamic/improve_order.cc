// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/dynamic/compared_values.h"
#include "src/dynamic/dynamic_state.h"
#include "src/dynamic/order_score.h"
#include "src/dynamic/search_orders.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// The approximate maximum number of values whose plans are tried as candidate
// orders.
constexpr size_t kMaxCandidates = 24;

StackPlan StackOf(const DynamicProblem& problem, std::vector<size_t> order) {
  // StackPlan::Create succeeds, because the order contains each record once.
  return *StackPlan::Create(problem.spec().problem, std::move(order));
}

// Returns `order` after the record at position `from` has been removed and then
// inserted at position `to`.
std::vector<size_t> Moved(const std::vector<size_t>& order, size_t from,
                          size_t to) {
  std::vector<size_t> moved = order;
  if (from < to) {
    std::rotate(moved.begin() + static_cast<ptrdiff_t>(from),
                moved.begin() + static_cast<ptrdiff_t>(from) + 1,
                moved.begin() + static_cast<ptrdiff_t>(to) + 1);
  } else {
    std::rotate(moved.begin() + static_cast<ptrdiff_t>(to),
                moved.begin() + static_cast<ptrdiff_t>(from),
                moved.begin() + static_cast<ptrdiff_t>(from) + 1);
  }
  return moved;
}

class OrderClimb {
 public:
  OrderClimb(const DynamicProblem& problem, Span<const ComparedValue> compared,
             DynamicAim aim, OrderBudget* budget)
      : problem_(problem),
        records_(problem.spec().problem.records),
        compared_(compared),
        aim_(aim),
        budget_(*budget),
        is_plain_(HasNoGroups(problem.spec().problem)),
        bound_(BoundOfScores(compared)) {}

  bool IsDone(const OrderScore& score) const {
    return IsAsGood(aim_, score, bound_);
  }

  // Moves records until no move improves the order. Returns false if the budget
  // is exhausted.
  bool Climb(FoundOrder* found) {
    while (!IsDone(found->score)) {
      const std::vector<size_t> chain = WorstChain(*found);
      bool has_moved = false;
      for (size_t i = 0; i < chain.size() && !has_moved; ++i) {
        if (!MoveOne(chain[i], found, &has_moved)) return false;
      }
      if (!has_moved) return true;
    }
    return true;
  }

  // Moves a few records to random positions.
  void Shake(Random* random, FoundOrder* found) const {
    const size_t count = found->order.size();
    for (uint64_t i = 0; i < 2 + random->Below(3); ++i) {
      const auto from = static_cast<size_t>(random->Below(count));
      const auto to = static_cast<size_t>(random->Below(count));
      found->order = Moved(found->order, from, to);
    }
    Score(found);
  }

  void Score(FoundOrder* found) const {
    const StackPlan stack = StackOf(problem_, found->order);
    found->score = ScoreOf(HeightsOf(problem_, stack, compared_), compared_);
  }

 private:
  // Returns the positions of the records in the support chain of the worst
  // height, from the top to the bottom. Each record in the chain begins where
  // the next one ends.
  std::vector<size_t> WorstChain(const FoundOrder& found) const {
    const bool is_high =
        aim_ == DynamicAim::kReserve && found.score.reserve > bound_.reserve;
    const std::vector<size_t>& sizes =
        compared_[is_high ? found.score.highest : found.score.worst].sizes;
    const StackPlan stack = StackOf(problem_, found.order);
    std::vector<size_t> offsets(problem_.size());
    const size_t height = *stack.Offsets(sizes, MakeSpan(offsets));
    const auto end_of = [&](size_t record) {
      return offsets[record] + sizes[record];
    };
    std::vector<size_t> position_of(problem_.size());
    for (size_t i = 0; i < found.order.size(); ++i) {
      position_of[found.order[i]] = i;
    }
    size_t top = 0;
    while (end_of(top) != height) ++top;
    std::vector<size_t> chain = {position_of[top]};
    while (!stack.Below(chain.back()).empty()) {
      const Span<const uint32_t> below = stack.Below(chain.back());
      chain.push_back(position_of[*std::max_element(
          below.begin(), below.end(),
          [&](uint32_t a, uint32_t b) { return end_of(a) < end_of(b); })]);
    }
    return chain;
  }

  // Moves the record at position `from` to the first position that improves the
  // order, and sets `*has_moved` if there is one. Returns false if the budget
  // is exhausted.
  bool MoveOne(size_t from, FoundOrder* found, bool* has_moved) {
    const std::vector<size_t>& order = found->order;
    const ByteRecord& record = records_[order[from]];
    for (size_t to = 0; to < order.size(); ++to) {
      if (to == from) continue;
      // Moving a record past a record with which it does not conflict changes
      // nothing.
      if (is_plain_ && !Conflict(record, records_[order[to]])) continue;
      if (!budget_.Take()) return false;
      FoundOrder moved;
      moved.order = Moved(order, from, to);
      Score(&moved);
      if (!IsBetterScore(aim_, moved.score, found->score)) continue;
      *found = std::move(moved);
      *has_moved = true;
      return true;
    }
    return true;
  }

  const DynamicProblem& problem_;
  const Span<const ByteRecord> records_;
  const Span<const ComparedValue> compared_;
  const DynamicAim aim_;
  OrderBudget& budget_;
  const bool is_plain_;
  const OrderScore bound_;
};

}  // namespace

FoundOrder BestCandidate(const DynamicProblem& problem,
                         Span<const ComparedValue> compared, DynamicAim aim) {
  OrderBudget none;
  const OrderClimb climb(problem, compared, aim, &none);
  FoundOrder best;
  const auto take = [&](const ComparedValue& plan) {
    FoundOrder found;
    found.order = OrderOf(plan);
    climb.Score(&found);
    const bool is_first = best.order.size() != found.order.size();
    if (is_first || IsBetterScore(aim, found.score, best.score)) {
      best = std::move(found);
    }
  };
  // The first candidate is the order of a plan for the largest size of each
  // record. If all sizes rise, these are the sizes at the largest value.
  const Span<const size_t> largest = problem.largest_sizes();
  const StatusOr<ComparedValue> of_largest = PlanForSizes(
      problem, compared.front().values,
      std::vector<size_t>(largest.begin(), largest.end()), SearchNodesFor(1));
  if (of_largest.ok()) take(*of_largest);
  const size_t step = 1 + (compared.size() - 1) / kMaxCandidates;
  for (size_t v = 0; v < compared.size(); v += step) take(compared[v]);
  take(compared.back());
  // The last candidate is the order of a plan for relative sizes. The relative
  // size of a record is its largest share of the need at any compared value.
  ComparedValue shares;
  shares.sizes.assign(problem.size(), 0);
  constexpr size_t kWhole = size_t{1} << 20;
  for (const ComparedValue& value : compared) {
    if (value.need == 0) continue;
    for (size_t i = 0; i < shares.sizes.size(); ++i) {
      const uint128 share = uint128(value.sizes[i]) * kWhole / value.need;
      shares.sizes[i] = std::max(shares.sizes[i], static_cast<size_t>(share));
    }
  }
  const StatusOr<ComparedValue> of_shares =
      PlanForSizes(problem, compared.front().values, std::move(shares.sizes),
                   SearchNodesFor(1));
  if (of_shares.ok()) take(*of_shares);
  return best;
}

void ImproveOrder(const DynamicProblem& problem,
                  Span<const ComparedValue> compared, DynamicAim aim,
                  OrderBudget* budget, FoundOrder* best) {
  OrderClimb climb(problem, compared, aim, budget);
  Random random(1);
  FoundOrder current = *best;
  while (problem.size() > 1) {
    const bool has_budget = climb.Climb(&current);
    if (IsBetterScore(aim, current.score, best->score)) *best = current;
    if (climb.IsDone(best->score)) best->is_best = true;
    if (!has_budget || best->is_best || !budget->Take()) return;
    current = *best;
    climb.Shake(&random, &current);
  }
}

}  // namespace stowage
