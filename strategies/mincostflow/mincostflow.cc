#include "mincostflow/mincostflow.h"

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "mincostflow/decode.h"
#include "mincostflow/network.h"
#include "mincostflow/optimal_flow.h"

namespace stowage::mincostflow {
namespace {

class MinCostFlow final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = new StrategyInfo{
        "mincostflow",
        "reuse chosen by a minimum-cost flow over all records",
        "a network simplex over O(n) arcs, a few times",
        "TensorFlow Lite's GPU delegate; LEMON",
        {/*objects=*/true, /*offsets=*/true, /*extents=*/false, /*bhwc=*/false,
         /*reallocation_graph=*/false}};
    return *info;
  }

  using Strategy::PlanObjects;
  absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& /*options*/) const override {
    const Network network = BuildNetwork(records);
    const absl::StatusOr<OptimalFlow> flow = FindOptimalFlow(network);
    if (!flow.ok()) return flow.status();
    return DecodeFlow(records, network, *flow);
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<MinCostFlow>();
}

}  // namespace stowage::mincostflow
