// SPDX-License-Identifier: Apache-2.0
#include "src/construct/local_peaks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/best_fit.h"
#include "src/construct/placing_order.h"
#include "src/construct/records_by_begin.h"
#include "src/construct/stack_orders.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/profile.h"

namespace stowage {
namespace {

// The shares to try, in thousandths of LocalPeaksEffort::enough. The records
// that are live at a step whose breadth exceeds the share are planned first, in
// groups.
constexpr size_t kShares[] = {700, 750, 800, 850, 900, 950, 980, 990, 995, 999};

// Up to this share, in thousandths, the records that are in no group have
// plenty of room. Even groups that end above `enough` may then lead to a plan
// that is smaller than the best one.
constexpr size_t kRoomy = 900;

// The maximum number of records in a group, in thousandths of all records. A
// sweep of a larger group would hardly differ from a sweep of all records.
constexpr size_t kMaxInAGroup = 900;

// Returns `thousandths` / 1000 of `whole`, rounded down, without overflow.
size_t ThousandthsOf(size_t whole, size_t thousandths) {
  return whole / 1000 * thousandths + whole % 1000 * thousandths / 1000;
}

class LocalPeaks {
 public:
  LocalPeaks(const Problem& problem, const PlacingOrders& orders,
             std::vector<uint32_t> by_begin, const LocalPeaksEffort& effort,
             const StopSignal& stop)
      : problem_(problem),
        records_(problem.records()),
        intervals_(RanksOf(problem).intervals),
        orders_(orders),
        effort_(effort),
        stop_(stop),
        by_begin_(std::move(by_begin)) {}

  // Plans the groups of records that are live at steps whose breadth exceeds
  // `share` thousandths of `enough`. Returns nullopt if there are no groups, if
  // one group contains nearly all records, or if a group has no plan that ends
  // below `limit`.
  optional<PartialPlan> PlanGroups(size_t share, size_t limit) const;

 private:
  // The records of one group, in the order of by_begin_.
  using Group = std::vector<uint32_t>;

  std::vector<Group> GroupsAbove(size_t breadth) const;
  bool PlanGroup(const Group& group, size_t limit, PartialPlan* partial) const;

  const Problem& problem_;
  const Span<const ByteRecord> records_;
  const std::vector<StepInterval>& intervals_;
  const PlacingOrders& orders_;
  const LocalPeaksEffort& effort_;
  const StopSignal& stop_;
  // Contains only the records that have at least one byte.
  const std::vector<uint32_t> by_begin_;
};

// Returns the records that are live at a step with a breadth above `breadth`.
// Divides them into groups that have no step in common.
std::vector<LocalPeaks::Group> LocalPeaks::GroupsAbove(size_t breadth) const {
  const std::vector<size_t>& breadths = orders_.breadths();
  // For each step, the number of broad steps before it.
  std::vector<uint32_t> broad(breadths.size() + 1, 0);
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

// Adds a plan of the group that ends below `limit` to `partial`. Returns false
// if no such plan is found.
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
  SweepInOrders(records, ranks, Alignments(alignments), orders, effort_.sweeps,
                effort_.enough, stop_, nullptr, &plan);
  if (plan.total_size >= limit) return false;
  for (size_t k = 0; k < group.size(); ++k) {
    partial->plan.offsets[group[k]] = plan.offsets[k];
    partial->placed.push_back(group[k]);
  }
  partial->plan.total_size =
      std::max(partial->plan.total_size, plan.total_size);
  return true;
}

optional<PartialPlan> LocalPeaks::PlanGroups(size_t share, size_t limit) const {
  const std::vector<Group> groups =
      GroupsAbove(ThousandthsOf(effort_.enough, share));
  const size_t max_in_a_group = ThousandthsOf(by_begin_.size(), kMaxInAGroup);
  const bool gains_nothing =
      groups.empty() ||
      std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
        return group.size() > max_in_a_group;
      });
  if (gains_nothing) return nullopt;
  PartialPlan partial;
  partial.plan.offsets.resize(records_.size());
  for (const Group& group : groups) {
    if (!PlanGroup(group, limit, &partial)) return nullopt;
  }
  return partial;
}

}  // namespace

optional<OffsetsAssignment> PlanAroundLocalPeaks(const Problem& problem,
                                                 const PlacingOrders& orders,
                                                 Span<const PlacingKey> rest,
                                                 const LocalPeaksEffort& effort,
                                                 const StopSignal& stop,
                                                 WorkLimit* work) {
  if (problem.has_fixed_offsets()) return nullopt;
  auto by_begin = RecordsByBegin(problem, stop);
  if (!by_begin) return nullopt;
  const LocalPeaks peaks(problem, orders, *std::move(by_begin), effort, stop);
  const size_t shares = std::min(effort.shares, std::size(kShares));
  optional<OffsetsAssignment> best;
  size_t limit = effort.limit;
  optional<std::vector<uint32_t>> order;  // is sorted once it is needed
  // Plans the groups above `share`, and places the other records around them.
  // Keeps the plan if it is better than the best one. Returns the highest end
  // of the groups, or 0 if the groups have no plan below `limit_of_groups`.
  const auto improve = [&](size_t share, size_t limit_of_groups) -> size_t {
    optional<PartialPlan> partial = peaks.PlanGroups(share, limit_of_groups);
    if (!partial) return 0;
    if (!order) order = orders.By(rest);
    if (!order) return 0;
    const size_t max = partial->plan.total_size;
    auto plan = PlaceBestFit(problem, *order, *std::move(partial), limit, work);
    if (plan) {
      limit = plan->total_size;
      best = std::move(plan);
    }
    return max;
  };
  const auto is_done = [&] { return limit <= effort.enough || stop.IsSet(); };
  size_t first_that_fits = shares;
  for (size_t k = 0; k < shares && !is_done(); ++k) {
    const bool fits = improve(kShares[k], effort.enough + 1) > 0;
    if (fits) first_that_fits = std::min(first_that_fits, k);
  }
  // This loop stops at the first share whose groups have a plan below the
  // limit, because with a higher share, best fit would have to place more
  // records.
  for (size_t k = 0; k < first_that_fits && kShares[k] <= kRoomy; ++k) {
    if (is_done()) break;
    const size_t max = improve(kShares[k], limit);
    if (max > 0 && max < limit) break;
  }
  return best;
}

}  // namespace stowage
