// SPDX-License-Identifier: Apache-2.0
#include "src/plan/order_planner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/base/work_limit.h"
#include "src/model/watch.h"
#include "src/plan/greedy_orders.h"
#include "src/plan/order_enumeration.h"
#include "src/plan/order_graph.h"
#include "src/plan/order_packer.h"
#include "src/plan/order_search.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace order_planner {
namespace {

// Returns whether every conflict in `fewer` is also in `more`.
bool IsSubset(const ConflictBits& fewer, const ConflictBits& more) {
  for (size_t w = 0; w < fewer.size(); ++w) {
    if ((fewer[w] & ~more[w]) != 0) return false;
  }
  return true;
}

class FreeOrderPlanner {
 public:
  FreeOrderPlanner(const Problem& problem, const Strategy& strategy,
                   const SolveOptions& options)
      : options_(options),
        is_search_(strategy.info().is_search),
        watch_(options),
        half_(watch_.SignalAfter(2)),
        beam_(watch_.SignalAfter(3)),
        stop_(watch_.SignalAfter()),
        packer_(problem, strategy, options),
        capacity_(problem.capacity()),
        graph_(MakeOrderGraph(problem)) {}

  StatusOr<Solution> Run() {
    FindOrders();
    for (size_t k = 0; k < orders_.size() && !IsDone(); ++k) {
      if (k > 0 && (stop_.IsSet() || orders_[k].peak >= packer_.Most())) break;
      const bool is_last = k + 1 == orders_.size() && !MayEnumerate();
      if (Status s = Pack(orders_[k].order, is_last); !s.ok()) return s;
    }
    if (MayEnumerate()) {
      if (Status s = Enumerate(); !s.ok()) return s;
    }
    return Finish();
  }

 private:
  // Finds orders by several methods and stores them in orders_, sorted by peak,
  // lowest first.
  void FindOrders() {
    orders_ = GreedyOrders(graph_, half_);
    bound_ = BytesOfAnyOrder(graph_, half_);
    OrderSearchResult found = SearchLeastPeak(graph_, bound_, orders_[0].peak,
                                              packer_.NodesLeft() / 2, half_);
    packer_.CountNodes(found.nodes);
    bound_ = found.bound;
    peak_bound_ = found.bound;
    if (found.order.empty() && bound_ < orders_[0].peak) FindByBeam();
    if (found.order.empty()) return;
    orders_.insert(orders_.begin(), {std::move(found.order), found.bound});
  }

  // Adds the best order found by a beam search. Used if there are too many sets
  // of tasks for a complete search.
  void FindByBeam() {
    const uint64_t nodes =
        std::min(packer_.NodesLeft() / 4, kMaxBeamNodes) / graph_.tasks;
    const auto width = static_cast<size_t>(std::min(nodes, kMaxBeamWidth));
    if (width == 0) return;
    std::vector<TaskId> order =
        SearchBeam(graph_, orders_[0].peak, width, beam_);
    packer_.CountNodes(width * graph_.tasks);
    if (order.empty()) return;
    const size_t peak = PeakOf(graph_, order);
    orders_.insert(orders_.begin(), {std::move(order), peak});
  }

  // Returns whether no further order is needed, because the best plan cannot or
  // need not be improved, or because it is proved that no plan fits within the
  // capacity.
  bool IsDone() {
    if (!packer_.has_plan()) {
      return capacity_ && bound_ > *capacity_ && is_tried_;
    }
    const size_t total = packer_.best().total_size;
    return total <= bound_ ||
           (options_.decide && capacity_ && total <= *capacity_);
  }

  bool MayEnumerate() {
    return is_search_ && CanEnumerate(graph_) && !IsDone();
  }

  Status Pack(Span<const TaskId> order, bool is_last) {
    const size_t max = packer_.Most();
    const StatusOr<bool> is_proved = packer_.Pack(order, is_last);
    if (!is_proved.ok()) return is_proved.status();
    is_tried_ = true;
    is_proved_ = *is_proved;
    if (packer_.has_plan() && packer_.Most() < max) Report();
    return OkStatus();
  }

  void Report() {
    SearchProgress progress;
    const Solution& best = packer_.best();
    progress.total_size = best.total_size;
    progress.lower_bound = std::min(bound_, best.total_size);
    progress.nodes = packer_.nodes();
    progress.found_by = best.found_by;
    watch_.OnProgress(progress);
  }

  // Computes a plan for each order, in the order of increasing peaks. Stops
  // when none of the remaining orders can have a better plan.
  Status Enumerate() {
    for (size_t level = bound_; !IsDone() && level < packer_.Most();) {
      Status status;
      WorkLimit limit(packer_.NodesLeft(), &stop_);
      const EnumerationResult result = EnumerateOrders(
          graph_, level,
          [&](Span<const TaskId> order, size_t peak,
              const ConflictBits& conflicts, size_t* max) {
            status = Visit(order, peak, conflicts, max);
            return status.ok() && !IsDone() && !stop_.IsSet() &&
                   packer_.NodesLeft() > 0;
          },
          &limit);
      packer_.CountNodes(result.nodes);
      if (!status.ok() || !result.is_complete) return status;
      level = result.next_peak;
      bound_ = std::max(
          bound_, std::min({packer_.Most(), packer_.unproved_bound(), level}));
    }
    is_complete_ = bound_ >= packer_.Most();
    return OkStatus();
  }

  Status Visit(Span<const TaskId> order, size_t peak,
               const ConflictBits& conflicts, size_t* max) {
    // If all conflicts of a first order are also conflicts of a second order,
    // every plan under the second order is also a plan under the first order.
    // Therefore the second order need not be packed if it is proved that no
    // plan under the first order is smaller than the best plan.
    const bool is_known = std::any_of(proved_.begin(), proved_.end(),
                                      [&](const ConflictBits& proved) {
                                        return IsSubset(proved, conflicts);
                                      });
    if (is_known || peak >= packer_.Most()) return OkStatus();
    if (Status s = Pack(order, false); !s.ok()) return s;
    if (is_proved_ && proved_.size() < kMaxProved) {
      proved_.push_back(conflicts);
    }
    *max = std::min(*max, packer_.Most() - 1);
    return OkStatus();
  }

  Solution Finish();
  void SetStatus(Solution* solution) const;

  static constexpr size_t kMaxProved = 1000;
  static constexpr uint64_t kMaxBeamNodes = uint64_t{1} << 17;
  static constexpr uint64_t kMaxBeamWidth = 1000;

  const SolveOptions& options_;
  const bool is_search_;
  Watch watch_;
  const StopSignal half_;
  const StopSignal beam_;
  const StopSignal stop_;
  OrderPacker packer_;
  const optional<size_t> capacity_;
  const OrderGraph graph_;
  std::vector<RatedOrder> orders_;
  size_t bound_ = 0;  // holds for all orders
  // A bound that holds for all orders and is derived from the live bytes alone.
  size_t peak_bound_ = 0;
  bool is_tried_ = false;
  bool is_proved_ = false;    // concerns the order that was packed last
  bool is_complete_ = false;  // says whether all relevant orders were packed
  std::vector<ConflictBits> proved_;
};

void FreeOrderPlanner::SetStatus(Solution* solution) const {
  const std::string complete =
      StrCat("the search over orders is complete, ", solution->nodes, " nodes");
  if (!solution->has_plan()) {
    const bool is_above = capacity_ && bound_ > *capacity_;
    if (solution->status == SolutionStatus::kOverCapacity && !is_above) return;
    solution->DropPlan(is_above || is_complete_ ? SolutionStatus::kInfeasible
                                                : SolutionStatus::kTimeLimit);
    solution->reason =
        is_complete_ ? complete
        : is_above
            ? StrCat("the bytes live in any order, ", bound_,
                     ", exceed the capacity ", *capacity_)
            : "no plan was found, nor a proof that there is none in any order";
    return;
  }
  solution->status = SolutionStatus::kFeasible;
  solution->reason.clear();
  if (solution->total_size > solution->lower_bound) return;
  solution->status = SolutionStatus::kOptimal;
  solution->reason =
      is_complete_ ? complete : "the total equals the bytes live in any order";
}

Solution FreeOrderPlanner::Finish() {
  Solution solution = std::move(packer_.best());
  const size_t total =
      solution.has_plan() ? solution.total_size : OrderPacker::kNone;
  const size_t bound = std::min(bound_, total);
  solution.lower_bound = bound == OrderPacker::kNone ? peak_bound_ : bound;
  solution.bound_proof = {is_complete_ ? BoundProof::Kind::kAllOrders
                                       : BoundProof::Kind::kAnyOrder};
  solution.search_proof = {};
  solution.chain_weights = {};
  solution.conflict.clear();
  solution.conflict_is_irreducible = false;
  solution.conflict_witnesses.clear();
  solution.nodes = packer_.nodes();
  solution.time_ns = packer_.elapsed_ns();
  SetStatus(&solution);
  return solution;
}

}  // namespace
}  // namespace order_planner

StatusOr<Solution> SolveFreeOrder(const Problem& problem,
                                  const Strategy& strategy,
                                  const SolveOptions& options) {
  return order_planner::FreeOrderPlanner(problem, strategy, options).Run();
}

}  // namespace stowage
