#include "greedy_in_order/greedy_in_order.h"

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "greedy_in_order/bytes.h"
#include "greedy_in_order/extents.h"

namespace stowage::greedy_in_order {
namespace {

class GreedyInOrder final : public Strategy {
 public:
  using Strategy::PlanObjects;

  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = new StrategyInfo{
        "greedy_in_order",
        "in execution order, reuse the free object of closest size",
        "O(n log n); with a reallocation graph or extents O(n p), p free "
        "objects",
        "Lee et al. 2019; TensorFlow Lite GPU delegate",
        {/*objects=*/true, /*offsets=*/true, /*extents=*/true, /*bhwc=*/false,
         /*reallocation_graph=*/true, /*fixed_offsets=*/false,
         /*order_independent=*/true}};
    return *info;
  }

  absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& options) const override {
    if (options.reallocation_graph == nullptr) return AssignBytes(records);
    return AssignBytesWithGraph(records, *options.reallocation_graph);
  }
  absl::StatusOr<ObjectsAssignment<uint2>> PlanObjects(
      absl::Span<const TensorUsageRecord<uint2>> records,
      const StrategyOptions& /*options*/) const override {
    return AssignExtents(records);
  }
  absl::StatusOr<ObjectsAssignment<uint3>> PlanObjects(
      absl::Span<const TensorUsageRecord<uint3>> records,
      const StrategyOptions& /*options*/) const override {
    return AssignExtents(records);
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<GreedyInOrder>();
}

}  // namespace stowage::greedy_in_order
