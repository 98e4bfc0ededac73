#include "arena_best_fit/arena_best_fit.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "src/core/interval_ranks.h"
#include "src/core/placed_records.h"
#include "stowage/profile.h"

namespace stowage::arena_best_fit {
namespace {

std::vector<size_t> LargestThenFirst(absl::Span<const ByteRecord> records) {
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (records[a].tensor_size != records[b].tensor_size) {
      return records[a].tensor_size > records[b].tensor_size;
    }
    return records[a].first_task < records[b].first_task;
  });
  return order;
}

// The walk over the records in the way, by offset.
class GapSearch {
 public:
  GapSearch(size_t size, size_t alignment)
      : size_(size), alignment_(alignment) {}

  void Pass(const Place& place) {
    const size_t start = AlignUp(floor_, alignment_);
    // The original remembers a gap from its unaligned floor and compares it
    // with the next from an aligned one; plans depend on it.
    if (start <= place.offset && place.offset - start >= size_ &&
        place.offset - start < tightest_) {
      tightest_ = place.offset - floor_;
      best_ = start;
    }
    floor_ = std::max(floor_, place.end);
  }

  size_t Offset() const {
    return tightest_ == kNoGap ? AlignUp(floor_, alignment_) : best_;
  }

 private:
  static constexpr size_t kNoGap = std::numeric_limits<size_t>::max();

  size_t size_;
  size_t alignment_;
  size_t floor_ = 0;  // end of all that was passed
  size_t tightest_ = kNoGap;
  size_t best_ = 0;
};

class ArenaBestFit final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "arena_best_fit";
      strategy->summary =
          "the largest tensors first, as TensorFlow Lite's CPU arena";
      strategy->complexity = "O((n + c) log n), c conflicting pairs";
      strategy->source = "TensorFlow Lite SimpleMemoryArena";
      strategy->features = {Feature::kOffsets};
      strategy->is_order_independent = true;
      return strategy;
    }();
    return *info;
  }

  absl::StatusOr<Solution> Solve(
      const Problem& problem, const SolveOptions& /*options*/) const override {
    const absl::Span<const ByteRecord> records = problem.records();
    const IntervalRanks& ranks = problem.ranks();
    PlacedRecords placed(ranks.intervals);
    OffsetsAssignment assignment;
    assignment.offsets.resize(records.size(), 0);
    for (const size_t i : LargestThenFirst(records)) {
      const size_t size = records[i].tensor_size;
      if (size == 0) continue;  // at 0, in nobody's way
      GapSearch search(size, problem.alignments().Of(i));
      placed.WalkUntil(ranks.intervals[i], [&](const Place& place) {
        search.Pass(place);
        return false;
      });
      const size_t offset = search.Offset();
      placed.Add(i, offset, offset + size);
      assignment.offsets[i] = offset;
      assignment.total_size = std::max(assignment.total_size, offset + size);
    }
    return Solution(std::move(assignment));
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<ArenaBestFit>();
}

}  // namespace stowage::arena_best_fit
