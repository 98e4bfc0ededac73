// SPDX-License-Identifier: Apache-2.0
#include "greedy_by_size/greedy_by_size.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "greedy_by_size/objects.h"
#include "src/base/work_limit.h"
#include "src/construct/best_fit.h"
#include "src/construct/placing_order.h"
#include "src/model/constraint_support.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"

namespace stowage::greedy_by_size {
namespace {

class GreedyBySize final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "greedy_by_size";
      strategy->summary = "the largest tensors first, best fit";
      strategy->complexity =
          "objects O((n + c) log n), c pairs that conflict or touch; offsets "
          "O(n "
          "k), k stretches in use beside a record";
      strategy->source = "Pisarchyk and Lee 2020, sections 4.4 and 5.2";
      strategy->features = {Feature::kOffsets,      Feature::kObjects,
                            Feature::kFixedOffsets, Feature::kPlaces,
                            Feature::kGroups,       Feature::kApart,
                            Feature::kPartialOrder};
      strategy->is_order_independent = true;
      return strategy;
    }();
    return *info;
  }

  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& options) const override {
    if (problem.kind() == PlanKind::kObjects) {
      return Solution(AssignObjects(problem));
    }
    if (problem.constraints() != nullptr) {
      return SolveUnderConstraints(info().name, problem, options);
    }
    return Solution(AssignOffsets(problem));
  }
};

}  // namespace

ObjectsAssignment<size_t> AssignObjects(const Problem& problem) {
  return *AssignObjectsUntil(StopSignal(), problem);
}

optional<ObjectsAssignment<size_t>> AssignObjectsUntil(const StopSignal& stop,
                                                       const Problem& problem) {
  const auto order = LargestFirst(problem.records(), stop);
  if (!order) return nullopt;
  return AssignObjects(problem, *order, stop);
}

OffsetsAssignment AssignOffsets(const Problem& problem) {
  return PlaceBestFit(problem, *LargestFirst(problem.records(), {}));
}

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<GreedyBySize>();
}

}  // namespace stowage::greedy_by_size
