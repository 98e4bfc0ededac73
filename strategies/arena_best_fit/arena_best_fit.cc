// SPDX-License-Identifier: Apache-2.0
#include "arena_best_fit/arena_best_fit.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/radix_sort.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/arena_fit.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/profile.h"

namespace stowage::arena_best_fit {
namespace {

// Returns all records in the order in which they are placed: first the records
// of problem.place_first(), in the order of that list; then all others by
// decreasing size, with ties broken by first task and then by index.
std::vector<size_t> PlacingOrder(const Problem& problem) {
  const Span<const ByteRecord> records = problem.records();
  std::vector<size_t> order(problem.place_first().begin(),
                            problem.place_first().end());
  std::vector<bool> is_listed(records.size(), false);
  for (const size_t i : order) is_listed[i] = true;
  RecordSort sort(records.size(), StopSignal());
  sort.By([&](uint32_t i) { return uint64_t{records[i].first_task}; });
  sort.By([&](uint32_t i) { return ~uint64_t{records[i].tensor_size}; });
  order.reserve(records.size());
  for (const NumberedRecord& entry : sort.list()) {
    if (!is_listed[entry.record]) order.push_back(entry.record);
  }
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

  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& /*options*/) const override {
    // The problem has been checked, so no sum exceeds 2^64 - 1 and every record
    // has a place.
    ArenaFit fit = PlaceArenaFit(problem.records(), RanksOf(problem),
                                 PlacingOrder(problem), problem.alignments());
    return Solution(std::move(fit.plan));
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<ArenaBestFit>();
}

}  // namespace stowage::arena_best_fit
