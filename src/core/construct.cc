#include "src/core/construct.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/core/interval_ranks.h"
#include "src/core/peak_sweep.h"
#include "src/core/placing_order.h"
#include "src/core/skyline_dive.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"

namespace stowage {
namespace {

using Keys = std::vector<PlacingKey>;

constexpr PlacingKey kCongestion = PlacingKey::kCongestion;
constexpr PlacingKey kLifetime = PlacingKey::kLifetime;
constexpr PlacingKey kArea = PlacingKey::kArea;
constexpr PlacingKey kSize = PlacingKey::kSize;
constexpr PlacingKey kEarliness = PlacingKey::kEarliness;
constexpr PlacingKey kLateness = PlacingKey::kLateness;

// How records that are alive at the peak are stacked: what begins first at the
// bottom leaves the space above it in one piece at earlier tasks, what ends
// last at the bottom at later ones.
const std::vector<Keys>& StackOrders() {
  static const auto* const orders = new std::vector<Keys>{
      {kEarliness, kSize}, {kSize}, {kLateness, kSize}, {kLifetime, kSize}};
  return *orders;
}

// Measured on the recorded traces: each is the best of all on some of them,
// and those without area or size cost several times as much.
const std::vector<Keys>& DiveOrders() {
  static const auto* const orders = new std::vector<Keys>{
      {kArea, kLifetime}, {kCongestion, kArea, kLifetime},
      {kSize, kLifetime}, {kCongestion, kLifetime, kArea},
      {kLifetime, kSize}, {kCongestion, kSize, kLifetime}};
  return *orders;
}

void Improve(absl::optional<OffsetsAssignment> plan, OffsetsAssignment* best) {
  if (plan && plan->total_size < best->total_size) *best = *std::move(plan);
}

}  // namespace

OffsetsAssignment StackAll(absl::Span<const ByteRecord> records,
                           const Alignments& alignments) {
  OffsetsAssignment plan;
  plan.offsets.reserve(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    const size_t size = records[i].tensor_size;
    const size_t offset =
        size == 0 ? 0 : AlignUp(plan.total_size, alignments.Of(i));
    plan.offsets.push_back(offset);
    if (size > 0) plan.total_size = offset + size;
  }
  return plan;
}

void Construct(absl::Span<const ByteRecord> records, const IntervalRanks& ranks,
               const Alignments& alignments, size_t enough, WorkLimit* work,
               OffsetsAssignment* best) {
  if (records.empty()) return;
  const PlacingOrders orders(records, ranks);
  {
    const PeakSweep sweep(records, ranks, alignments, orders.peak());
    for (const Keys& keys : StackOrders()) {
      if (best->total_size <= enough || work->left() == 0) return;
      std::vector<uint32_t> stack = sweep.alive();
      orders.Sort(keys, &stack);
      Improve(sweep.Plan(stack, best->total_size, work), best);
    }
  }
  for (const Keys& keys : DiveOrders()) {
    if (best->total_size <= enough || work->left() == 0) return;
    Improve(DiveInSkyline(records, ranks, orders.By(keys), alignments,
                          best->total_size, work),
            best);
  }
}

}  // namespace stowage
