// SPDX-License-Identifier: Apache-2.0
#include "micro_first_fit/micro_first_fit.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "src/bounds/interval_ranks.h"
#include "src/construct/placed_records.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/profile.h"

namespace stowage::micro_first_fit {
namespace {

// Returns the sizes, each padded to its alignment as in the original planner.
// If the sum of the padded sizes and of the gaps between them could exceed 64
// bits, returns the sizes without padding; their sum is known to fit.
std::vector<size_t> PaddedSizes(Span<const ByteRecord> records,
                                const Alignments& alignments) {
  std::vector<size_t> sizes;
  std::vector<size_t> padded_sizes;
  optional<size_t> sum = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const size_t gap = alignments.Of(i) - 1;
    sizes.push_back(records[i].tensor_size);
    padded_sizes.push_back(AlignUp(sizes[i], alignments.Of(i)));
    if (sum) sum = CheckedAdd(*sum, padded_sizes[i]);
    if (sum) sum = CheckedAdd(*sum, gap);
  }
  return sum ? padded_sizes : sizes;
}

// Returns the records in the order in which they are placed: first the records
// with a fixed offset, by index, and then all others by decreasing padded size.
// Among equal sizes, the higher index comes first.
std::vector<size_t> PlacingOrder(const std::vector<size_t>& padded_sizes,
                                 const Problem& problem) {
  std::vector<size_t> fixed;
  std::vector<size_t> free;
  for (size_t i = 0; i < padded_sizes.size(); ++i) {
    (problem.fixed_offset(i) ? fixed : free).push_back(i);
  }
  std::sort(free.begin(), free.end(), [&](size_t a, size_t b) {
    if (padded_sizes[a] != padded_sizes[b]) {
      return padded_sizes[a] > padded_sizes[b];
    }
    return a > b;
  });
  fixed.insert(fixed.end(), free.begin(), free.end());
  return fixed;
}

// Returns the lowest aligned offset at which `size` bytes are free during
// `interval`.
size_t FirstFit(size_t size, size_t alignment, StepInterval interval,
                PlacedRecords* placed) {
  size_t lowest_level = 0;
  placed->WalkUntil(interval, [&](const Place& place) {
    if (place.offset >= lowest_level && place.offset - lowest_level >= size) {
      return true;
    }
    lowest_level = std::max(lowest_level, AlignUp(place.end, alignment));
    return false;
  });
  return lowest_level;
}

class MicroFirstFit final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "micro_first_fit";
      strategy->summary =
          "the largest tensors first, first fit, around fixed offsets";
      strategy->complexity = "O((n + c) log n), c conflicting pairs";
      strategy->source = "TensorFlow Lite Micro GreedyMemoryPlanner";
      strategy->features = {Feature::kOffsets, Feature::kFixedOffsets};
      return strategy;
    }();
    return *info;
  }

  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& /*options*/) const override {
    const std::vector<size_t> padded_sizes =
        PaddedSizes(problem.records(), problem.alignments());
    const IntervalRanks& ranks = RanksOf(problem);
    PlacedRecords placed(ranks.intervals);
    OffsetsAssignment assignment;
    assignment.offsets.resize(problem.size());
    for (const size_t i : PlacingOrder(padded_sizes, problem)) {
      const optional<size_t> fixed = problem.fixed_offset(i);
      const size_t offset =
          fixed ? *fixed
                : FirstFit(padded_sizes[i], problem.alignments().Of(i),
                           ranks.intervals[i], &placed);
      const size_t end = offset + padded_sizes[i];
      placed.Add(i, offset, end);
      assignment.offsets[i] = offset;
      assignment.total_size = std::max(assignment.total_size, end);
    }
    return Solution(std::move(assignment));
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<MicroFirstFit>();
}

}  // namespace stowage::micro_first_fit
