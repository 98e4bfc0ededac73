// SPDX-License-Identifier: Apache-2.0
// Implements the part of ConstrainedSearch that selects pools.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "optimal/constrained/constrained_search.h"
#include "src/bounds/constrained_bound.h"
#include "src/bounds/quick_selection.h"
#include "src/construct/construct_pools.h"
#include "stowage/base/optional.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"
#include "stowage/plan_cost.h"

namespace stowage::optimal {
namespace {

// The maximum number of rounds in which pools are selected. Each round excludes
// the sets of items that could not be packed in earlier rounds.
constexpr size_t kMaxSearches = 1000;
// The number of further rounds of selections once the node budget is spent.
// These selections are packed by construction, which often suffices.
constexpr size_t kMaxRoundsBeyond = 4;
// With at most kMaxItemsInAll items, all selections of least cost are packed.
// With more items, only kFewSelections of them are packed: the others have the
// same cost, and the best they could achieve is a smaller total.
constexpr size_t kMaxItemsInAll = 16;
constexpr size_t kFewSelections = 8;
// The number of states (PoolLimits::states) of the first construction, which is
// quick and therefore yields a plan at once.
constexpr size_t kFewStates = 16;
// If pairs have costs, all selections of pools are tried if there are at most
// kMaxSelections of them. Otherwise items are moved from pool to pool, one or
// two at a time.
constexpr uint64_t kMaxSelections = 1024;
constexpr size_t kMaxItemsToMove = 1024;  // if only pools have costs
// The node budget for packing one pool when selections are compared.
constexpr uint64_t kNodesToCompare = 8192;
// The maximum number of packed pools that are stored for comparing selections.
constexpr size_t kMaxCompared = 4096;
constexpr size_t kNoOffset = std::numeric_limits<size_t>::max();

// Returns the limits with the nodes and the remaining time divided by `parts`.
GroupLimits PartOf(GroupLimits limits, size_t parts) {
  limits.nodes /= parts;
  if (limits.stop.deadline) {
    const auto now = std::chrono::steady_clock::now();
    *limits.stop.deadline =
        now + (*limits.stop.deadline - now) / static_cast<int64_t>(parts);
  }
  return limits;
}

}  // namespace

const ConstrainedSearch::Packed& ConstrainedSearch::PackOnce(
    std::vector<uint32_t> records, uint32_t pool) {
  const auto key = std::pair(pool, std::move(records));
  const auto found = packed_.find(key);
  if (found != packed_.end()) return found->second;
  // Does not lower costs here: ImproveCosts does so later, only for the best
  // selection.
  GroupLimits limits = LimitsLeft();
  limits.is_quick = true;
  return packed_.emplace(key, Pack(key.second, pool, limits)).first->second;
}

// Returns the solution for the case that no selection of pools exists.
Solution ConstrainedSearch::InfeasibleInPools() const {
  const std::vector<uint32_t> items = rigid::ShrinkUnselectable(
      items_, constraints_.pools, nogoods_, LimitsOfSelections());
  std::vector<uint32_t> records = rigid::RecordsOf(items_, items);
  std::sort(records.begin(), records.end());
  return Infeasible(records);
}

// Interchangeable pools count as such unless all selections are tried.
rigid::PoolLimits ConstrainedSearch::LimitsOfSelections() const {
  rigid::PoolLimits limits;
  limits.stop = limits_.stop;
  if (items_.size() > kMaxItemsInAll) {
    limits.selections = kFewSelections;
    limits.first_alike = rigid::InterchangeablePools(problem_, items_);
  }
  return limits;
}

// Selects pools and packs them until a selection has a plan, or until they cost
// more than `constructed`. Returns false if it is proved that there is no
// selection. Sets *cost_bound to a lower bound of the cost of pools.
bool ConstrainedSearch::SelectInRounds(const Best& constructed,
                                       uint64_t* cost_bound) {
  const rigid::PoolLimits limits = LimitsOfSelections();
  bool is_cost_exact = true;
  size_t rounds_beyond = 0;
  for (size_t round = 0; round < kMaxSearches; ++round) {
    const rigid::PoolSelections selected =
        SelectPools(items_, constraints_.pools, nogoods_, limits);
    is_cost_exact = is_cost_exact && selected.is_exact && is_proved_;
    if (selected.selections.empty()) return !is_cost_exact;
    if (is_cost_exact) *cost_bound = selected.cost;
    if (constructed.is_set && selected.cost > CostOf(constructed)) break;
    TrySelections(selected);
    if (best_.is_set) {
      is_proved_ = is_proved_ && selected.is_all && is_cost_exact &&
                   best_.cost <= pairs_.cost && !limits_.decide;
      break;
    }
    if (limits_.stop.IsSet() || !is_narrowed_) break;
    if (nodes_ >= limits_.nodes && ++rounds_beyond > kMaxRoundsBeyond) break;
  }
  return true;
}

Solution ConstrainedSearch::SolvePools() {
  items_ = rigid::PoolItemsOf(problem_);
  Best at_once = BestOf(
      ConstructInUnlimitedPools(problem_, relation_, items_, limits_.stop));
  Best constructed = ConstructTwice();
  uint64_t cost_bound = 0;
  if (!SelectInRounds(constructed, &cost_bound)) return InfeasibleInPools();
  if (IsBetter(constructed, best_)) {
    is_proved_ = false;
    best_ = std::move(constructed);
  }
  if (!best_.is_set && !(items_.size() > kMaxReduced && at_once.is_set)) {
    // No time is left for a search. Assigns each item to the cheapest pool with
    // room for it, and stacks the items of each pool if this fits the pool.
    is_proved_ = false;
    const auto pools = SelectFirstFit(items_, constraints_.pools, nogoods_);
    if (pools) TrySelection(*pools);
  }
  if (IsBetter(at_once, best_)) {
    is_proved_ = false;
    best_ = std::move(at_once);
  }
  if (!best_.is_set) {
    Solution nothing;
    nothing.nodes = nodes_;
    return nothing;
  }
  const bool has_costs = !constraints_.prefer_apart.empty();
  if (!is_proved_ && !limits_.decide) {
    if (has_costs) {
      ImproveSelection();
    } else if (items_.size() <= kMaxItemsToMove) {
      MoveItems();
    }
  }
  cost_bound =
      is_proved_ && has_costs
          ? CostOf(best_) - CostWithinGroups(problem_)
          : std::max(cost_bound, BoundCostOfPools(problem_)) + pairs_.cost;
  return SolutionOfBest(0, cost_bound);
}

// Lowers the cost of the best plan. May move items to other pools.
void ConstrainedSearch::ImproveSelection() {
  uint64_t selections = 1;
  for (const rigid::PoolItem& item : items_) {
    if (selections > kMaxSelections) break;
    selections *= item.choices.size();
  }
  if (selections > 1) {
    const GroupLimits all = limits_;
    if (selections <= kMaxSelections) {
      limits_ = HalfOfLimits();
      std::vector<uint32_t> pools;
      is_proved_ = true;
      TryAllSelections(0, &pools);
      is_proved_ = is_proved_ && !limits_.stop.IsSet();
    } else {
      // Improves the best selection first, because other selections start from
      // its plan.
      limits_ = HalfOfLimits();
      ImproveCosts();
      limits_ = all;
      limits_ = HalfOfLimits();
      MoveItems();
    }
    limits_ = all;
  }
  if (!is_proved_) ImproveCosts();
}

// Returns limits with half of the remaining nodes and time.
GroupLimits ConstrainedSearch::HalfOfLimits() const {
  GroupLimits half = PartOf(LimitsLeft(), 2);
  half.nodes += std::min(nodes_, ~half.nodes);
  return half;
}

bool ConstrainedSearch::IsOver() const {
  return nodes_ >= limits_.nodes || limits_.stop.IsSet();
}

// Tries all selections in which the first items have the pools `pools`, at a
// cost of `cost` for these pools. Skips a selection if its pools alone cost
// more than the best plan.
void ConstrainedSearch::TryAllSelections(uint64_t cost,
                                         std::vector<uint32_t>* pools) {
  const size_t begin = pools->size();
  // Assigns items with a single choice without recursion, since there may be
  // many of them.
  while (pools->size() < items_.size() &&
         items_[pools->size()].choices.size() == 1) {
    const PoolChoice& only = items_[pools->size()].choices.front();
    pools->push_back(only.pool);
    cost += only.cost;
  }
  const bool is_whole = pools->size() == items_.size();
  if (cost <= CostOf(best_)) {
    if (IsOver()) {
      is_proved_ = false;
    } else if (is_whole) {
      CompareSelection(*pools);
    } else {
      for (const PoolChoice& choice : items_[pools->size()].choices) {
        pools->push_back(choice.pool);
        TryAllSelections(cost + choice.cost, pools);
        pools->pop_back();
      }
    }
  }
  pools->resize(begin);
}

// Moves single items to other pools, and pairs of items, while plans get
// better.
void ConstrainedSearch::MoveItems() {
  Random random(limits_.seed);
  std::vector<uint32_t> pools;
  for (const rigid::PoolItem& item : items_) {
    pools.push_back(best_.pools[item.records.front()]);
  }
  uint64_t least = CostOf(best_);
  // Changes the pools of one or two items. Keeps the changes only if the plan
  // becomes better.
  const auto try_pools = [&](uint32_t a, uint32_t to_a, uint32_t b,
                             uint32_t to_b) {
    std::vector<uint32_t> next = pools;
    next[a] = to_a;
    next[b] = to_b;
    if (PoolCostOf(next) > least || !CompareSelection(next)) return false;
    least = CostOf(best_);
    pools = std::move(next);
    return true;
  };
  bool is_better = true;
  while (is_better && !IsOver()) {
    is_better = false;
    std::vector<uint32_t> order(items_.size());
    std::iota(order.begin(), order.end(), 0);
    for (size_t k = order.size(); k > 1; --k) {
      std::swap(order[k - 1], order[random.Below(k)]);
    }
    for (const uint32_t k : order) {
      for (const PoolChoice& choice : items_[k].choices) {
        if (IsOver()) return;
        if (choice.pool == pools[k]) continue;
        is_better = try_pools(k, choice.pool, k, choice.pool) || is_better;
      }
      const auto other = static_cast<uint32_t>(random.Below(items_.size()));
      if (pools[k] == pools[other] || !HasChoice(k, pools[other]) ||
          !HasChoice(other, pools[k]) || IsOver()) {
        continue;
      }
      is_better = try_pools(k, pools[other], other, pools[k]) || is_better;
    }
  }
}

bool ConstrainedSearch::HasChoice(uint32_t item, uint32_t pool) const {
  const std::vector<PoolChoice>& choices = items_[item].choices;
  return std::any_of(
      choices.begin(), choices.end(),
      [pool](const PoolChoice& choice) { return choice.pool == pool; });
}

// Returns the cost of the pools in a selection, without the cost of pairs.
// Requires that the pool of each item is one of the choices of the item.
uint64_t ConstrainedSearch::PoolCostOf(Span<const uint32_t> pools) const {
  uint64_t cost = 0;
  for (size_t k = 0; k < items_.size(); ++k) {
    for (const PoolChoice& choice : items_[k].choices) {
      if (choice.pool == pools[k]) cost += choice.cost;
    }
  }
  return cost;
}

// Returns a plan without records, to which AddPool adds the pools one by one.
ConstrainedSearch::Best ConstrainedSearch::EmptyPlan() const {
  Best plan;
  plan.is_set = true;
  plan.offsets.resize(problem_.size());
  plan.pools.resize(problem_.size());
  return plan;
}

// Adds the records of a pool to a plan. Requires that `packed` has a plan of
// these records.
void ConstrainedSearch::AddPool(Span<const uint32_t> records, uint32_t pool,
                                const Packed& packed, Best* plan) {
  plan->total += static_cast<uint64_t>(packed.answer.plan->top);
  plan->cost += packed.answer.plan->cost;
  for (const uint32_t i : records) {
    plan->offsets[i] = packed.offsets[i];
    plan->pools[i] = pool;
  }
  plan->found_by = packed.answer.found_by;
}

// Makes a plan of the selection. If this plan is better than the best plan so
// far, keeps it and returns true.
bool ConstrainedSearch::CompareSelection(const std::vector<uint32_t>& pools) {
  const std::vector<std::vector<uint32_t>> records = RecordsByPool(pools);
  Best next = EmptyPlan();
  for (uint32_t p = 0; p < records.size(); ++p) {
    const Packed& packed = PackToCompare(records[p], p);
    is_proved_ = is_proved_ && packed.answer.is_proved;
    if (!packed.answer.plan) return false;
    AddPool(records[p], p, packed, &next);
  }
  if (!IsBetter(next, best_)) return false;
  best_ = std::move(next);
  return true;
}

// Packs the records of a pool in a search with few nodes. The search starts
// with the offsets of the best plan, for those records that are in the same
// pool there.
const ConstrainedSearch::Packed& ConstrainedSearch::PackToCompare(
    const std::vector<uint32_t>& records, uint32_t pool) {
  const auto key = std::pair(pool, records);
  const auto found = compared_.find(key);
  if (found != compared_.end()) return found->second;
  if (compared_.size() >= kMaxCompared) compared_.clear();
  std::vector<size_t> known(problem_.size(), kNoOffset);
  for (const uint32_t i : records) {
    if (best_.pools[i] == pool) known[i] = best_.offsets[i];
  }
  GroupLimits limits = LimitsLeft();
  limits.nodes = std::min(limits.nodes, kNodesToCompare);
  limits.threads = 1;
  limits.known = &known;
  return compared_.emplace(key, Pack(records, pool, limits)).first->second;
}

// Lowers the cost of the best plan without changing the pool of any record. The
// pools share the remaining limits. Pools with fewer records are improved
// first.
void ConstrainedSearch::ImproveCosts() {
  std::vector<std::vector<uint32_t>> records(constraints_.pools.size());
  for (uint32_t i = 0; i < problem_.size(); ++i) {
    records[best_.pools[i]].push_back(i);
  }
  std::vector<uint32_t> order(records.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return records[a].size() < records[b].size();
  });
  for (size_t k = 0; k < order.size(); ++k) {
    const uint32_t pool = order[k];
    GroupLimits limits = PartOf(LimitsLeft(), order.size() - k);
    limits.known = &best_.offsets;
    const Packed packed = Pack(records[pool], pool, limits);
    if (!packed.answer.plan) continue;
    Best next = best_;
    for (const uint32_t i : records[pool]) next.offsets[i] = packed.offsets[i];
    next.total = 0;
    for (const std::vector<uint32_t>& of_pool : records) {
      size_t top = 0;
      for (const uint32_t i : of_pool) {
        top =
            std::max(top, next.offsets[i] + problem_.records()[i].tensor_size);
      }
      next.total += top;
    }
    next.found_by = packed.answer.found_by;
    if (IsBetter(next, best_)) best_ = std::move(next);
  }
}

// Constructs two plans and returns the better one. The first construction makes
// as much effort as the strategy `skyline`, and the second one is quick.
ConstrainedSearch::Best ConstrainedSearch::ConstructTwice() const {
  rigid::PoolEffort little;
  little.states = kFewStates;
  little.max_in_nogood = 0;
  little.stop = limits_.stop;
  rigid::PoolEffort usual;
  usual.selects_quickly = true;
  usual.stop = limits_.stop;
  usual.stop_of_quick = limits_.stop;
  Best constructed;
  for (const rigid::PoolEffort& effort : {usual, little}) {
    Best next = BestOf(ConstructPools(problem_, relation_, items_, effort));
    if (IsBetter(next, constructed)) constructed = std::move(next);
  }
  return constructed;
}

ConstrainedSearch::Best ConstrainedSearch::BestOf(
    StatusOr<optional<rigid::PackedPools>> packed) {
  Best best;
  if (!packed.ok() || !*packed) return best;
  OffsetsAssignment& plan = (*packed)->plan;
  best.pools = std::move(plan.pools);
  best.offsets = std::move(plan.offsets);
  best.total = plan.total_size;
  best.found_by = std::move((*packed)->found_by);
  best.is_set = true;
  return best;
}

bool ConstrainedSearch::IsBetter(const Best& best, const Best& other) const {
  if (!best.is_set || !other.is_set) return best.is_set;
  return std::pair(CostOf(best), best.total) <
         std::pair(CostOf(other), other.total);
}

uint64_t ConstrainedSearch::CostOf(const Best& best) const {
  return CostOfPlan(problem_, {best.offsets, best.total, best.pools});
}

std::vector<std::vector<uint32_t>> ConstrainedSearch::RecordsByPool(
    const std::vector<uint32_t>& pools) const {
  std::vector<std::vector<uint32_t>> records;
  for (const std::vector<uint32_t>& items :
       rigid::ItemsByPool(pools, constraints_.pools.size())) {
    records.push_back(rigid::RecordsOf(items_, items));
  }
  return records;
}

void ConstrainedSearch::TrySelections(const rigid::PoolSelections& selected) {
  for (const std::vector<uint32_t>& pools : selected.selections) {
    if (limits_.stop.IsSet() && best_.is_set) {
      is_proved_ = false;
      return;
    }
    TrySelection(pools);
  }
}

void ConstrainedSearch::TrySelection(const std::vector<uint32_t>& pools) {
  std::vector<std::vector<uint32_t>> records = RecordsByPool(pools);
  Best found = EmptyPlan();
  for (uint32_t p = 0; p < records.size(); ++p) {
    const Packed& packed = PackOnce(records[p], p);
    if (!packed.answer.plan) {
      is_proved_ = is_proved_ && packed.answer.is_proved;
      is_narrowed_ =
          packed.answer.is_proved || records[p].size() <= kMaxReduced;
      AddNogood(pools, p);
      return;
    }
    is_proved_ = is_proved_ && packed.answer.is_proved;
    AddPool(records[p], p, packed, &found);
  }
  if (best_.is_set && std::pair(best_.cost, best_.total) <=
                          std::pair(found.cost, found.total)) {
    return;
  }
  best_ = std::move(found);
}

// Adds a nogood, which is a set of items that cannot be packed together into
// the pool. Removes items one by one for as long as the remaining items
// provably cannot be packed. If the pool has many items, the nogood contains
// all of them.
void ConstrainedSearch::AddNogood(const std::vector<uint32_t>& pools,
                                  uint32_t pool) {
  std::vector<uint32_t> items =
      rigid::ItemsByPool(pools, constraints_.pools.size())[pool];
  if (items.size() <= kMaxReduced) {
    for (size_t k = 0; k < items.size();) {
      std::vector<uint32_t> rest = items;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      if (IsInfeasible(rigid::RecordsOf(items_, rest), pool)) {
        items = std::move(rest);
      } else {
        ++k;
      }
    }
  }
  for (const rigid::Nogood& known : nogoods_) {
    if (known.pool == pool && known.items == items) return;
  }
  nogoods_.push_back({pool, std::move(items)});
}

}  // namespace stowage::optimal
