// SPDX-License-Identifier: Apache-2.0
#include "naive/naive.h"

#include <memory>
#include <numeric>
#include <variant>

#include "stowage/base/span.h"
#include "stowage/base/statusor.h"

namespace stowage::naive {
namespace {

template <typename TensorSizeT>
ObjectsAssignment<TensorSizeT> OneObjectEach(
    Span<const TensorUsageRecord<TensorSizeT>> records) {
  ObjectsAssignment<TensorSizeT> assignment;
  assignment.object_ids.resize(records.size());
  std::iota(assignment.object_ids.begin(), assignment.object_ids.end(),
            size_t{0});
  assignment.object_sizes.reserve(records.size());
  for (const auto& record : records) {
    assignment.object_sizes.push_back(record.tensor_size);
  }
  return assignment;
}

class Naive final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "naive";
      strategy->summary = "every tensor its own memory";
      strategy->complexity = "O(n)";
      strategy->source = "the baseline of Pisarchyk and Lee 2020";
      strategy->features = {Feature::kOffsets, Feature::kObjects,
                            Feature::kApart, Feature::kPartialOrder};
      return strategy;
    }();
    return *info;
  }

  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& /*options*/) const override {
    return SolutionOfObjects(problem, OneObjectEach(problem.records()));
  }

  StatusOr<ExtentObjects> AssignExtents(
      const ExtentRecords& records) const override {
    return std::visit(
        [](const auto& given) { return ExtentObjects(OneObjectEach(given)); },
        records);
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() { return std::make_unique<Naive>(); }

}  // namespace stowage::naive
