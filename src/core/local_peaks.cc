// SPDX-License-Identifier: Apache-2.0
#include "src/core/local_peaks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/core/best_fit.h"
#include "src/core/interval_ranks.h"
#include "src/core/placing_order.h"
#include "src/core/sort_until.h"
#include "src/core/stack_orders.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"

namespace stowage {
namespace {

// Shares of what is enough, in percent, that broad steps exceed.
constexpr size_t kShares[] = {70, 75, 80, 85, 90};

// Of all records that a group may hold, in percent: with more, its sweep is the
// one of all.
constexpr size_t kMostInAGroup = 90;

// Rounded down, without an overflow.
size_t PercentOf(size_t whole, size_t percent) {
  return whole / 100 * percent + whole % 100 * percent / 100;
}

class LocalPeaks {
 public:
  LocalPeaks(const Problem& problem, const PlacingOrders& orders,
             const LocalPeaksEffort& effort, const StopSignal& stop)
      : problem_(problem),
        records_(problem.records()),
        intervals_(problem.ranks().intervals),
        orders_(orders),
        effort_(effort),
        stop_(stop) {}

  // Sorts the records. Returns whether that is done: false if the signal is
  // set.
  bool Prepare();

  // The plan of a share, below `limit`. Sets `most` to where the groups end.
  absl::optional<OffsetsAssignment> Plan(size_t share, size_t limit,
                                         absl::Span<const PlacingKey> rest,
                                         WorkLimit* work, size_t* most);

 private:
  // Records of one group, in by_begin_.
  using Group = std::vector<uint32_t>;

  std::vector<Group> GroupsAbove(size_t breadth) const;
  bool PlanGroup(const Group& group, size_t limit, PartialPlan* partial) const;

  const Problem& problem_;
  const absl::Span<const ByteRecord> records_;
  const std::vector<StepInterval>& intervals_;
  const PlacingOrders& orders_;
  const LocalPeaksEffort& effort_;
  const StopSignal& stop_;
  std::vector<uint32_t> by_begin_;  // those with bytes
};

bool LocalPeaks::Prepare() {
  for (uint32_t i = 0; i < records_.size(); ++i) {
    if (records_[i].tensor_size > 0) by_begin_.push_back(i);
  }
  return SortUntil(
      stop_,
      [&](uint32_t a, uint32_t b) {
        const uint32_t x = intervals_[a].begin;
        const uint32_t y = intervals_[b].begin;
        return x != y ? x < y : a < b;
      },
      &by_begin_);
}

// What is live at a step broader than that, in groups that share no step.
std::vector<LocalPeaks::Group> LocalPeaks::GroupsAbove(size_t breadth) const {
  const std::vector<size_t>& breadths = orders_.breadths();
  std::vector<uint32_t> broad(breadths.size() + 1, 0);  // before each step
  for (size_t s = 0; s < breadths.size(); ++s) {
    broad[s + 1] = broad[s] + (breadths[s] > breadth ? 1 : 0);
  }
  std::vector<Group> groups;
  uint32_t reach = 0;
  for (const uint32_t i : by_begin_) {
    const StepInterval interval = intervals_[i];
    if (broad[interval.begin] == broad[interval.end]) continue;
    if (groups.empty() || interval.begin >= reach) groups.emplace_back();
    groups.back().push_back(i);
    reach = std::max(reach, interval.end);
  }
  return groups;
}

// Returns whether a plan of the group ends below `limit`.
bool LocalPeaks::PlanGroup(const Group& group, size_t limit,
                           PartialPlan* partial) const {
  std::vector<ByteRecord> records;
  std::vector<size_t> alignments;
  for (const uint32_t i : group) {
    records.push_back(records_[i]);
    alignments.push_back(problem_.alignments().Of(i));
  }
  const IntervalRanks ranks = RankIntervals(records);
  const PlacingOrders orders(records, ranks, stop_);
  OffsetsAssignment plan;
  plan.total_size = limit;
  SweepInOrders(records, ranks, absl::MakeConstSpan(alignments), orders,
                effort_.sweeps, effort_.enough, stop_, nullptr, &plan);
  if (plan.total_size >= limit) return false;
  for (size_t k = 0; k < group.size(); ++k) {
    partial->plan.offsets[group[k]] = plan.offsets[k];
    partial->placed.push_back(group[k]);
  }
  partial->plan.total_size =
      std::max(partial->plan.total_size, plan.total_size);
  return true;
}

absl::optional<OffsetsAssignment> LocalPeaks::Plan(
    size_t share, size_t limit, absl::Span<const PlacingKey> rest,
    WorkLimit* work, size_t* most) {
  const std::vector<Group> groups =
      GroupsAbove(PercentOf(effort_.enough, share));
  const size_t most_in_a_group = PercentOf(by_begin_.size(), kMostInAGroup);
  const bool gains_nothing =
      groups.empty() ||
      std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
        return group.size() > most_in_a_group;
      });
  if (gains_nothing) return absl::nullopt;
  PartialPlan partial;
  partial.plan.offsets.resize(records_.size());
  for (const Group& group : groups) {
    if (!PlanGroup(group, limit, &partial)) return absl::nullopt;
  }
  *most = partial.plan.total_size;
  const auto order = orders_.By(rest);
  if (!order) return absl::nullopt;
  return PlaceBestFit(problem_, *order, std::move(partial), limit, work);
}

}  // namespace

absl::optional<OffsetsAssignment> PlanAroundLocalPeaks(
    const Problem& problem, const PlacingOrders& orders,
    absl::Span<const PlacingKey> rest, const LocalPeaksEffort& effort,
    const StopSignal& stop, WorkLimit* work) {
  if (problem.has_fixed_offsets()) return absl::nullopt;
  LocalPeaks peaks(problem, orders, effort, stop);
  if (!peaks.Prepare()) return absl::nullopt;
  absl::optional<OffsetsAssignment> best;
  size_t limit = effort.limit;
  for (size_t k = 0; k < std::min(effort.shares, std::size(kShares)); ++k) {
    size_t most = 0;
    auto plan = peaks.Plan(kShares[k], limit, rest, work, &most);
    if (plan) {
      limit = plan->total_size;
      best = std::move(plan);
    }
    if (limit <= effort.enough || stop.IsSet()) break;
    // A higher share leaves more to best fit.
    if (most > 0 && most < limit) break;
  }
  return best;
}

}  // namespace stowage
