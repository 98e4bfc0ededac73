#include "optimal/optimal.h"

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "optimal/objects_search.h"
#include "optimal/offsets_search.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {
namespace {

class Optimal final : public Strategy {
 public:
  using Strategy::PlanObjects;

  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = new StrategyInfo{
        "optimal",
        "the smallest plan there is, or the best within the deadline",
        "exponential in the worst case, within the deadline or node budget",
        "own; Moffitt 2023 for the canonical search",
        {/*objects=*/true, /*offsets=*/true, /*extents=*/false, /*bhwc=*/false,
         /*reallocation_graph=*/false, /*fixed_offsets=*/false,
         /*order_independent=*/false, /*search=*/true}};
    return *info;
  }

  absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& options) const override {
    const StopSignal stop = SignalOf(options.search);
    ObjectsSearch search(records, options, stop);
    absl::StatusOr<ObjectsAssignment<size_t>> plan = search.Run();
    if (options.report != nullptr) *options.report = search.report();
    return plan;
  }

  absl::StatusOr<OffsetsAssignment> PlanOffsets(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& options) const override {
    OffsetsSearch search(records, options);
    OffsetsAssignment plan = search.Run();
    if (options.report != nullptr) *options.report = search.report();
    return plan;
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() { return std::make_unique<Optimal>(); }

}  // namespace stowage::optimal
