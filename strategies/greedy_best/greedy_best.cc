// SPDX-License-Identifier: Apache-2.0
#include "greedy_best/greedy_best.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "greedy_by_breadth/greedy_by_breadth.h"
#include "greedy_by_size/greedy_by_size.h"
#include "greedy_in_order/greedy_in_order.h"
#include "stowage/base/statusor.h"

namespace stowage::greedy_best {
namespace {

// Replaces `best` by `candidate` if `candidate` is strictly smaller.
void Improve(OffsetsAssignment candidate, OffsetsAssignment* best) {
  if (candidate.total_size < best->total_size) *best = std::move(candidate);
}

// Returns the smaller of the plans of the two strategies that can place records
// around fixed ones. A layout of shared objects cannot honour fixed offsets.
OffsetsAssignment AssignAroundFixed(const Problem& problem) {
  OffsetsAssignment best = greedy_by_size::AssignOffsets(problem);
  Improve(greedy_by_breadth::AssignOffsets(problem), &best);
  return best;
}

// Tries the layout of the shared objects first, so that ties yield the plan
// that TensorFlow Lite returns.
StatusOr<OffsetsAssignment> AssignOffsets(const Problem& problem) {
  if (problem.has_fixed_offsets()) return AssignAroundFixed(problem);
  const Alignments& alignments = problem.alignments();
  const StatusOr<ObjectsAssignment<size_t>> objects = AssignObjects(problem);
  if (!objects.ok()) return objects.status();
  StatusOr<OffsetsAssignment> best = ObjectsToOffsets(*objects, alignments);
  if (!best.ok()) return best;
  Improve(greedy_by_size::AssignOffsets(problem), &*best);
  Improve(greedy_by_breadth::AssignOffsets(problem), &*best);
  StatusOr<OffsetsAssignment> in_order =
      ObjectsToOffsets(greedy_in_order::AssignObjects(problem), alignments);
  if (!in_order.ok()) return in_order;
  Improve(*std::move(in_order), &*best);
  return best;
}

class GreedyBest final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "greedy_best";
      strategy->summary = "the smallest plan of several greedy strategies";
      strategy->complexity = "that of greedy_by_size and greedy_by_breadth";
      strategy->source = "TensorFlow Lite GPU delegate";
      strategy->features = {Feature::kOffsets, Feature::kObjects,
                            Feature::kFixedOffsets};
      strategy->is_order_independent = true;
      return strategy;
    }();
    return *info;
  }

  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& /*options*/) const override {
    if (problem.kind() == PlanKind::kObjects) {
      StatusOr<ObjectsAssignment<size_t>> plan = AssignObjects(problem);
      if (!plan.ok()) return plan.status();
      return Solution(*std::move(plan));
    }
    StatusOr<OffsetsAssignment> plan = AssignOffsets(problem);
    if (!plan.ok()) return plan.status();
    return Solution(*std::move(plan));
  }
};

}  // namespace

StatusOr<ObjectsAssignment<size_t>> AssignObjects(const Problem& problem) {
  ObjectsAssignment<size_t> by_size = greedy_by_size::AssignObjects(problem);
  ObjectsAssignment<size_t> by_breadth =
      greedy_by_breadth::AssignObjects(problem);
  const StatusOr<size_t> size_total = TotalSize(by_size);
  if (!size_total.ok()) return size_total.status();
  const StatusOr<size_t> breadth_total = TotalSize(by_breadth);
  if (!breadth_total.ok()) return breadth_total.status();
  return *breadth_total < *size_total ? std::move(by_breadth)
                                      : std::move(by_size);
}

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<GreedyBest>();
}

}  // namespace stowage::greedy_best
