// SPDX-License-Identifier: Apache-2.0
#include "arena_best_fit/arena_best_fit.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "src/core/arena_fit.h"
#include "src/core/interval_ranks.h"
#include "stowage/profile.h"

namespace stowage::arena_best_fit {
namespace {

// What the problem prefers to be placed first, in its order; then the largest;
// then what is needed first; then by index.
std::vector<size_t> PlacingOrder(const Problem& problem) {
  const absl::Span<const ByteRecord> records = problem.records();
  std::vector<size_t> order(problem.place_first().begin(),
                            problem.place_first().end());
  std::vector<bool> is_listed(records.size(), false);
  for (const size_t i : order) is_listed[i] = true;
  const size_t listed = order.size();
  for (size_t i = 0; i < records.size(); ++i) {
    if (!is_listed[i]) order.push_back(i);
  }
  std::stable_sort(order.begin() + static_cast<ptrdiff_t>(listed), order.end(),
                   [&](size_t a, size_t b) {
                     if (records[a].tensor_size != records[b].tensor_size) {
                       return records[a].tensor_size > records[b].tensor_size;
                     }
                     return records[a].first_task < records[b].first_task;
                   });
  return order;
}

class ArenaBestFit final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "arena_best_fit";
      strategy->summary =
          "the largest tensors first, as TensorFlow Lite's CPU arena";
      strategy->complexity = "O(n k), k stretches in use beside a record";
      strategy->source = "TensorFlow Lite SimpleMemoryArena";
      strategy->features = {Feature::kOffsets};
      strategy->is_order_independent = true;
      return strategy;
    }();
    return *info;
  }

  absl::StatusOr<Solution> Solve(
      const Problem& problem, const SolveOptions& /*options*/) const override {
    // The problem has been checked: no sum passes 2^64 - 1.
    ArenaFit fit = PlaceArenaFit(problem.records(), problem.ranks(),
                                 PlacingOrder(problem), problem.alignments());
    return Solution(std::move(fit.plan));
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<ArenaBestFit>();
}

}  // namespace stowage::arena_best_fit
