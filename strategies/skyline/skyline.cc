#include "skyline/skyline.h"

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "src/core/construct.h"
#include "src/core/interval_ranks.h"

namespace stowage::skyline {
namespace {

// About a second.
constexpr uint64_t kLooks = uint64_t{12} << 20;

class Skyline final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = new StrategyInfo{
        "skyline",
        "lowest place first in several orders; sweeps from the peak",
        "O(n log n) for short lives, else 12 million looks at records at most",
        "Burke, Kendall and Whitwell 2004, for the dives; own",
        {/*objects=*/false, /*offsets=*/true, /*extents=*/false, /*bhwc=*/false,
         /*reallocation_graph=*/false, /*fixed_offsets=*/false,
         /*order_independent=*/false}};
    return *info;
  }

  absl::StatusOr<OffsetsAssignment> PlanOffsets(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& options) const override {
    OffsetsAssignment best = StackAll(records, options.alignments);
    ConstructEffort effort;
    effort.looks = kLooks;
    Construct(records, RankIntervals(records), options.alignments,
              OffsetsLowerBound(records), effort, &best);
    return best;
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() { return std::make_unique<Skyline>(); }

}  // namespace stowage::skyline
