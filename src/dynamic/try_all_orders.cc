// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/dynamic/compared_values.h"
#include "src/dynamic/order_score.h"
#include "src/dynamic/search_orders.h"
#include "stowage/base/span.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Extends an order record by record.
class OrderTree {
 public:
  OrderTree(const DynamicProblem& problem, Span<const ComparedValue> compared,
            DynamicAim aim, OrderBudget* budget, FoundOrder* best)
      : problem_(problem.spec().problem),
        compared_(compared),
        aim_(aim),
        budget_(*budget),
        best_(*best),
        ends_(problem.size() * compared.size()),
        is_placed_(problem.size()) {}

  // Returns whether all orders were tried or ruled out.
  bool Run() { return Extend(std::vector<size_t>(compared_.size(), 0)); }

 private:
  size_t* EndsOf(size_t record) {
    return ends_.data() + record * compared_.size();
  }
  bool DoConflict(size_t a, size_t b) const {
    return Conflict(problem_.records[a], problem_.records[b]);
  }

  // Stacks `record` on top of the records in `order_` and raises `*heights`
  // accordingly.
  void Place(size_t record, std::vector<size_t>* heights) {
    size_t* const ends = EndsOf(record);
    std::fill_n(ends, compared_.size(), 0);
    for (const size_t below : order_) {
      if (!DoConflict(below, record)) continue;
      const size_t* const tops = EndsOf(below);
      for (size_t v = 0; v < compared_.size(); ++v) {
        ends[v] = std::max(ends[v], tops[v]);
      }
    }
    const size_t alignment = AlignmentsOf(problem_).Of(record);
    for (size_t v = 0; v < compared_.size(); ++v) {
      ends[v] = AlignUp(ends[v], alignment) + compared_[v].sizes[record];
      (*heights)[v] = std::max((*heights)[v], ends[v]);
    }
  }

  bool Extend(const std::vector<size_t>& heights) {
    const OrderScore score = ScoreOf(heights, compared_);
    // Heights never fall as records are added, so this score cannot improve.
    if (IsAsGood(aim_, best_.score, score)) return true;
    if (order_.size() == is_placed_.size()) {
      best_.order = order_;
      best_.score = score;
      return true;
    }
    for (size_t record = 0; record < is_placed_.size(); ++record) {
      if (is_placed_[record]) continue;
      // Exchanging two adjacent records that do not conflict changes nothing,
      // so only one of the two orders is tried.
      if (!order_.empty() && record < order_.back() &&
          !DoConflict(record, order_.back())) {
        continue;
      }
      if (!budget_.Take()) return false;
      std::vector<size_t> raised = heights;
      Place(record, &raised);
      is_placed_[record] = true;
      order_.push_back(record);
      const bool is_done = Extend(raised);
      order_.pop_back();
      is_placed_[record] = false;
      if (!is_done) return false;
    }
    return true;
  }

  const ProblemSpec& problem_;
  const Span<const ComparedValue> compared_;
  const DynamicAim aim_;
  OrderBudget& budget_;
  FoundOrder& best_;
  std::vector<size_t> ends_;  // the end of each placed record at each value
  std::vector<bool> is_placed_;
  std::vector<size_t> order_;
};

}  // namespace

void TryAllOrders(const DynamicProblem& problem,
                  Span<const ComparedValue> compared, DynamicAim aim,
                  OrderBudget* budget, FoundOrder* best) {
  if (OrderTree(problem, compared, aim, budget, best).Run()) {
    best->is_best = true;
  }
}

}  // namespace stowage
