#include "greedy_best/greedy_best.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage::greedy_best {
namespace {

using Records = absl::Span<const TensorUsageRecord<size_t>>;

absl::StatusOr<ObjectsAssignment<size_t>> ObjectsOf(
    absl::string_view name, Records records, const StrategyOptions& options) {
  const absl::StatusOr<const Strategy*> strategy = FindStrategy(name);
  if (!strategy.ok()) return strategy.status();
  return (*strategy)->PlanObjects(records, options);
}

// Replaces `best` by `candidate` if that is strictly smaller.
absl::Status Improve(absl::StatusOr<OffsetsAssignment> candidate,
                     OffsetsAssignment* best) {
  if (!candidate.ok()) return candidate.status();
  if (candidate->total_size < best->total_size) *best = *std::move(candidate);
  return absl::OkStatus();
}

class GreedyBest final : public Strategy {
 public:
  using Strategy::PlanObjects;

  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = new StrategyInfo{
        "greedy_best",
        "the smallest plan of the greedy strategies",
        "that of greedy_by_size and greedy_by_breadth",
        "TensorFlow Lite GPU delegate",
        {/*objects=*/true, /*offsets=*/true, /*extents=*/false, /*bhwc=*/false,
         /*reallocation_graph=*/false, /*fixed_offsets=*/false,
         /*order_independent=*/true}};
    return *info;
  }

  absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(
      Records records, const StrategyOptions& options) const override {
    absl::StatusOr<ObjectsAssignment<size_t>> by_size =
        ObjectsOf("greedy_by_size", records, options);
    if (!by_size.ok()) return by_size;
    absl::StatusOr<ObjectsAssignment<size_t>> by_breadth =
        ObjectsOf("greedy_by_breadth", records, options);
    if (!by_breadth.ok()) return by_breadth;
    const absl::StatusOr<size_t> size_total = TotalSize(*by_size);
    if (!size_total.ok()) return size_total.status();
    const absl::StatusOr<size_t> breadth_total = TotalSize(*by_breadth);
    if (!breadth_total.ok()) return breadth_total.status();
    return *breadth_total < *size_total ? by_breadth : by_size;
  }

  // The layout of the shared objects comes first, so that on ties the plan is
  // the one that TensorFlow Lite returns.
  absl::StatusOr<OffsetsAssignment> PlanOffsets(
      Records records, const StrategyOptions& options) const override {
    absl::StatusOr<OffsetsAssignment> best =
        Strategy::PlanOffsets(records, options);
    if (!best.ok()) return best;
    for (const absl::string_view name :
         {"greedy_by_size", "greedy_by_breadth", "greedy_in_order"}) {
      const absl::StatusOr<const Strategy*> strategy = FindStrategy(name);
      if (!strategy.ok()) return strategy.status();
      const absl::Status status =
          Improve((*strategy)->PlanOffsets(records, options), &*best);
      if (!status.ok()) return status;
    }
    return best;
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<GreedyBest>();
}

}  // namespace stowage::greedy_best
