#include "greedy_by_size/greedy_by_size.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "greedy_by_size/objects.h"
#include "src/core/best_fit.h"
#include "src/core/interval_ranks.h"
#include "stowage/profile.h"

namespace stowage::greedy_by_size {
namespace {

std::vector<size_t> LargestFirst(absl::Span<const ByteRecord> records) {
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return records[a].tensor_size > records[b].tensor_size;
  });
  return order;
}

class GreedyBySize final : public Strategy {
 public:
  using Strategy::PlanObjects;

  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = new StrategyInfo{
        "greedy_by_size",
        "the largest tensors first, best fit",
        "O((n + c) log n), c pairs that conflict or touch",
        "Pisarchyk and Lee 2020, sections 4.4 and 5.2",
        {/*objects=*/true, /*offsets=*/true, /*extents=*/false, /*bhwc=*/false,
         /*reallocation_graph=*/false, /*fixed_offsets=*/false,
         /*order_independent=*/true}};
    return *info;
  }

  absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& /*options*/) const override {
    return AssignObjects(records, LargestFirst(records));
  }

  absl::StatusOr<OffsetsAssignment> PlanOffsets(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& options) const override {
    return PlaceBestFit(records, RankIntervals(records), LargestFirst(records),
                        options.alignments);
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<GreedyBySize>();
}

}  // namespace stowage::greedy_by_size
