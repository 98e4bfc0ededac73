// SPDX-License-Identifier: Apache-2.0
#include "src/construct/stack_orders.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/peak_sweep.h"
#include "src/construct/placing_order.h"
#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/profile.h"

namespace stowage {
namespace {

// The orders in which the records that are live at the peak are stacked. If the
// records that begin first are at the bottom, the free space at tasks before
// the peak is in one piece above them. If the records that end last are at the
// bottom, the same holds for tasks after the peak.
constexpr FewKeys kStackOrders[] = {
    {2, {PlacingKey::kEarliness, PlacingKey::kSize}},
    {1, {PlacingKey::kSize}},
    {2, {PlacingKey::kLateness, PlacingKey::kSize}},
    {2, {PlacingKey::kLifetime, PlacingKey::kSize}},
};

}  // namespace

void SweepInOrders(Span<const ByteRecord> records, const IntervalRanks& ranks,
                   const Alignments& alignments, const PlacingOrders& orders,
                   size_t count, size_t enough, const StopSignal& stop,
                   const std::function<void(Span<const PlacingKey>)>& improved,
                   OffsetsAssignment* best) {
  const auto is_done = [&] {
    return best->total_size <= enough || stop.IsSet();
  };
  if (records.empty() || is_done()) return;
  const PeakSweep sweep(records, ranks, alignments, orders.peak(), stop);
  WorkLimit work(WorkLimit::kUnlimited, &stop);
  for (const FewKeys& order : MakeSpan(kStackOrders).subspan(0, count)) {
    if (is_done()) return;
    std::vector<uint32_t> stack = sweep.live();
    if (!orders.Sort(order.span(), &stack)) return;
    auto plan = sweep.Plan(stack, best->total_size, &work);
    if (!plan) continue;
    *best = *std::move(plan);
    if (improved) improved(order.span());
  }
}

}  // namespace stowage
