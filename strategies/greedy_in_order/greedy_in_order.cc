// SPDX-License-Identifier: Apache-2.0
#include "greedy_in_order/greedy_in_order.h"

#include <cstddef>
#include <memory>
#include <variant>

#include "greedy_in_order/bytes.h"
#include "greedy_in_order/extents.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"

namespace stowage::greedy_in_order {
namespace {

class GreedyInOrder final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "greedy_in_order";
      strategy->summary =
          "in execution order, reuse the free object of closest size";
      strategy->complexity =
          "O(n log n); with a reallocation graph or extents O(n p), p free "
          "objects";
      strategy->source = "Lee et al. 2019; TensorFlow Lite GPU delegate";
      strategy->features = {Feature::kOffsets, Feature::kObjects,
                            Feature::kReallocationGraph};
      strategy->is_order_independent = true;
      return strategy;
    }();
    return *info;
  }

  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& /*options*/) const override {
    return SolutionOfObjects(problem, AssignObjects(problem));
  }

  StatusOr<ExtentObjects> AssignExtents(
      const ExtentRecords& records) const override {
    using Flat = Span<const TensorUsageRecord<uint2>>;
    using Deep = Span<const TensorUsageRecord<uint3>>;
    if (const auto* flat = std::get_if<Flat>(&records)) {
      return ExtentObjects(greedy_in_order::AssignExtents(*flat));
    }
    if (const auto* deep = std::get_if<Deep>(&records)) {
      return ExtentObjects(greedy_in_order::AssignExtents(*deep));
    }
    return Strategy::AssignExtents(records);
  }
};

}  // namespace

ObjectsAssignment<size_t> AssignObjects(const Problem& problem) {
  return *AssignObjectsUntil(StopSignal(), problem);
}

optional<ObjectsAssignment<size_t>> AssignObjectsUntil(const StopSignal& stop,
                                                       const Problem& problem) {
  const UsageGraph* const graph = problem.reallocation_graph();
  return graph == nullptr
             ? AssignBytes(problem.records(), stop)
             : AssignBytesWithGraph(problem.records(), *graph, stop);
}

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<GreedyInOrder>();
}

}  // namespace stowage::greedy_in_order
