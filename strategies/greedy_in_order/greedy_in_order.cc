// SPDX-License-Identifier: Apache-2.0
#include "greedy_in_order/greedy_in_order.h"

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "absl/types/variant.h"
#include "greedy_in_order/bytes.h"
#include "greedy_in_order/extents.h"

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

  absl::StatusOr<Solution> Solve(
      const Problem& problem, const SolveOptions& /*options*/) const override {
    return SolutionOfObjects(problem, AssignObjects(problem));
  }

  absl::StatusOr<ExtentObjects> AssignExtents(
      const ExtentRecords& records) const override {
    using Flat = absl::Span<const TensorUsageRecord<uint2>>;
    using Deep = absl::Span<const TensorUsageRecord<uint3>>;
    if (const auto* flat = absl::get_if<Flat>(&records)) {
      return ExtentObjects(greedy_in_order::AssignExtents(*flat));
    }
    if (const auto* deep = absl::get_if<Deep>(&records)) {
      return ExtentObjects(greedy_in_order::AssignExtents(*deep));
    }
    return Strategy::AssignExtents(records);
  }
};

}  // namespace

ObjectsAssignment<size_t> AssignObjects(const Problem& problem) {
  return *AssignObjectsUntil(StopSignal(), problem);
}

absl::optional<ObjectsAssignment<size_t>> AssignObjectsUntil(
    const StopSignal& stop, const Problem& problem) {
  const UsageGraph* const graph = problem.reallocation_graph();
  return graph == nullptr
             ? AssignBytes(problem.records(), stop)
             : AssignBytesWithGraph(problem.records(), *graph, stop);
}

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<GreedyInOrder>();
}

}  // namespace stowage::greedy_in_order
