// SPDX-License-Identifier: Apache-2.0
#include "first_fit/first_fit.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/statusor.h"

namespace stowage::first_fit {
namespace {

using ByteRecord = TensorUsageRecord<size_t>;

// Returns the lowest aligned offset at which a range of `size` bytes overlaps
// none of the records in `taken`. Requires that `taken` is sorted by offset.
size_t LowestGap(Span<const size_t> taken, Span<const ByteRecord> records,
                 Span<const size_t> offsets, size_t size, size_t alignment) {
  size_t offset = 0;
  for (const size_t other : taken) {
    if (offset + size <= offsets[other]) break;
    const size_t end = offsets[other] + records[other].tensor_size;
    offset = std::max(offset, AlignUp(end, alignment));
  }
  return offset;
}

class FirstFit final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "first_fit";
      strategy->summary = "the lowest free place, in order of the records";
      strategy->complexity = "O(n^2 log n)";
      strategy->source = "own";
      strategy->features = {Feature::kOffsets};
      return strategy;
    }();
    return *info;
  }

  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& /*options*/) const override {
    const Span<const ByteRecord> records = problem.records();
    OffsetsAssignment plan;
    plan.offsets.resize(records.size());
    for (size_t i = 0; i < records.size(); ++i) {
      std::vector<size_t> taken;
      for (size_t other = 0; other < i; ++other) {
        if (Conflict(records[i], records[other])) taken.push_back(other);
      }
      std::stable_sort(taken.begin(), taken.end(), [&](size_t a, size_t b) {
        return plan.offsets[a] < plan.offsets[b];
      });
      plan.offsets[i] =
          LowestGap(taken, records, plan.offsets, records[i].tensor_size,
                    problem.alignments().Of(i));
      plan.total_size =
          std::max(plan.total_size, plan.offsets[i] + records[i].tensor_size);
    }
    return Solution(std::move(plan));
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<FirstFit>();
}

}  // namespace stowage::first_fit
