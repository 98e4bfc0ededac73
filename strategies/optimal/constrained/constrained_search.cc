// SPDX-License-Identifier: Apache-2.0
#include "optimal/constrained/constrained_search.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "optimal/limits.h"
#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/bounds/constrained_bound.h"
#include "src/construct/construct_pools.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/lower_bound.h"

namespace stowage::optimal {
namespace {

using rigid::Level;

// The maximum number of rounds of selections. Each round excludes the sets that
// could not be packed before.
constexpr size_t kMaxSearches = 1000;
// Up to this number of items, all selections of least cost are packed. With
// more items, only kFewSelections of them are packed. The others would have the
// same cost, and could at best have a smaller total.
constexpr size_t kMaxItemsInAll = 16;
constexpr size_t kFewSelections = 8;
// The number of states of a quick first selection, which gives a plan at once.
constexpr size_t kFewStates = 16;
// The maximum size of a set of records or items that is reduced to a smaller
// conflict, by leaving out one member after the other.
constexpr size_t kMaxInConflict = 64;
// The maximum work to bound the cost of pairs, and the work for each node of a
// node budget.
constexpr uint64_t kMaxWorkToBound = uint64_t{1} << 34;
constexpr uint64_t kWorkOfNode = 64;
// The maximum number of nodes of a search that only explains a conflict.
constexpr uint64_t kNodesToExplain = 20000;

// Returns the limits of one of `parts` equal parts.
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

ConstrainedSearch::ConstrainedSearch(const Problem& problem,
                                     const SolveOptions& options)
    : problem_(problem),
      constraints_(*problem.constraints()),
      relation_(problem),
      watch_(options) {
  limits_.stop = watch_.SignalAfter();
  limits_.seed = options.seed;
  limits_.decide = options.decide;
  if (options.node_budget) limits_.nodes = *options.node_budget;
}

Solution ConstrainedSearch::Run() {
  if (!limits_.decide) BoundPairs();
  return constraints_.pools.empty() ? SolveOnePool() : SolvePools();
}

// Bounds the cost of pairs from below, in a quarter of the time.
void ConstrainedSearch::BoundPairs() {
  const StopSignal stop = watch_.SignalAfter(1);
  const uint64_t work =
      std::min(limits_.nodes, kMaxWorkToBound / kWorkOfNode) * kWorkOfNode;
  pairs_ = BoundReuse(problem_, work, &stop);
}

GroupLimits ConstrainedSearch::LimitsLeft() const {
  GroupLimits limits = limits_;
  limits.nodes -= std::min(limits.nodes, nodes_);
  return limits;
}

std::vector<CostlyPair> ConstrainedSearch::CostlyPairsOf(
    const RigidGroups& groups) const {
  std::vector<CostlyPair> pairs;
  if (constraints_.prefer_apart.empty()) return pairs;
  flat_hash_map<size_t, uint32_t> piece_of;
  for (uint32_t p = 0; p < groups.pieces().size(); ++p) {
    piece_of[groups.pieces()[p].record] = p;
  }
  for (const ApartPreference& wish : constraints_.prefer_apart) {
    const auto first = piece_of.find(wish.first);
    const auto second = piece_of.find(wish.second);
    if (first == piece_of.end() || second == piece_of.end() ||
        groups.pieces()[first->second].group ==
            groups.pieces()[second->second].group) {
      continue;
    }
    pairs.push_back({first->second, second->second, wish.cost});
  }
  return pairs;
}

ConstrainedSearch::Packed ConstrainedSearch::Pack(Span<const uint32_t> records,
                                                  uint32_t pool,
                                                  const GroupLimits& limits) {
  Packed packed;
  const auto groups = RigidGroups::Make(problem_, records, pool);
  if (!groups) return packed;
  packed.is_made = true;
  packed.answer =
      FindBestPlan(*groups, relation_, CostlyPairsOf(*groups), limits);
  nodes_ += packed.answer.nodes;
  is_searched_ = is_searched_ || packed.answer.is_searched;
  if (packed.answer.plan) {
    packed.offsets.resize(problem_.size());
    groups->WriteOffsets(packed.answer.plan->starts, &packed.offsets);
  }
  return packed;
}

const ConstrainedSearch::Packed& ConstrainedSearch::PackOnce(
    std::vector<uint32_t> records, uint32_t pool) {
  const auto key = std::pair(pool, std::move(records));
  const auto found = packed_.find(key);
  if (found != packed_.end()) return found->second;
  // Costs are lowered later, in the best selection alone (ImproveCosts).
  GroupLimits limits = LimitsLeft();
  limits.is_quick = true;
  return packed_.emplace(key, Pack(key.second, pool, limits)).first->second;
}

Solution ConstrainedSearch::SolveOnePool() {
  const std::vector<uint32_t> all = rigid::AllRecordsOf(problem_);
  limits_.cost_bound = pairs_.cost;
  Packed packed = Pack(all, 0, LimitsOfWhole());
  if (packed.answer.plan) {
    best_ = {{},
             std::move(packed.offsets),
             static_cast<uint64_t>(packed.answer.plan->top),
             packed.answer.plan->cost,
             packed.answer.found_by,
             true};
    is_proved_ = packed.answer.is_proved && !limits_.decide;
    return SolutionOfBest(static_cast<uint64_t>(packed.answer.bound),
                          is_proved_ ? best_.cost : pairs_.cost);
  }
  if (packed.is_made && packed.answer.is_proved) {
    const std::vector<uint32_t> conflict = ShrinkConflict(all, 0);
    Solution infeasible = Infeasible();
    SetConflict(conflict, &infeasible);
    return infeasible;
  }
  Solution nothing;
  nothing.nodes = nodes_;
  return nothing;
}

Solution ConstrainedSearch::Infeasible() const {
  Solution solution;
  solution.status = SolutionStatus::kInfeasible;
  solution.nodes = nodes_;
  return solution;
}

// Returns a solution that is kInfeasible because no selection of pools exists,
// with the records of the conflict. It is not known whether each of these
// records is needed.
Solution ConstrainedSearch::InfeasibleInPools() const {
  Solution solution = Infeasible();
  const std::vector<uint32_t> items = rigid::ShrinkUnselectable(
      items_, constraints_.pools, nogoods_, limits_.stop);
  const std::vector<uint32_t> records = rigid::RecordsOf(items_, items);
  solution.conflict.assign(records.begin(), records.end());
  std::sort(solution.conflict.begin(), solution.conflict.end());
  return solution;
}

void ConstrainedSearch::SetConflict(Span<const uint32_t> conflict,
                                    Solution* solution) const {
  solution->conflict.assign(conflict.begin(), conflict.end());
  solution->conflict_is_irreducible = is_sure_;
  if (!is_sure_) return;
  for (size_t k = 0; k < conflict.size(); ++k) {
    std::vector<size_t>& rest = solution->conflict_witnesses.emplace_back();
    for (const uint32_t other : conflict) {
      if (other != conflict[k]) rest.push_back(offsets_without_[k][other]);
    }
  }
}

// Returns the best plan with its bounds. The total is optimal only if
// is_proved_.
Solution ConstrainedSearch::SolutionOfBest(uint64_t bound,
                                           uint64_t cost_bound) {
  OffsetsAssignment plan;
  plan.offsets = std::move(best_.offsets);
  plan.total_size = best_.total;
  plan.pools = std::move(best_.pools);
  Solution solution(std::move(plan));
  solution.found_by = std::move(best_.found_by);
  solution.nodes = nodes_;
  solution.lower_bound = is_proved_ ? best_.total : bound;
  if (solution.lower_bound > LowerBoundOf(problem_).bytes) {
    solution.bound_proof = {is_searched_ ? BoundProof::Kind::kSearch
                                         : BoundProof::Kind::kPoolsOfCost};
  }
  solution.cost_bound = cost_bound + CostWithinGroups(problem_);
  solution.cost_proofs = std::move(pairs_.proofs);
  return solution;
}

Solution ConstrainedSearch::SolvePools() {
  items_ = rigid::PoolItemsOf(problem_);
  rigid::PoolLimits limits;
  limits.stop = limits_.stop;
  if (items_.size() > kMaxItemsInAll) limits.selections = kFewSelections;
  const bool is_large = items_.size() > kMaxInConflict;
  Best at_once = BestOf(
      ConstructInUnlimitedPools(problem_, relation_, items_, limits_.stop));
  Best constructed;
  const bool has_costs = !constraints_.prefer_apart.empty();
  if (is_large || has_costs) constructed = ConstructTwice();
  uint64_t cost_bound = 0;
  bool is_cost_exact = true;
  for (size_t round = 0; round < kMaxSearches; ++round) {
    const rigid::PoolSelections selected =
        SelectPools(items_, constraints_.pools, nogoods_, limits);
    is_cost_exact = is_cost_exact && selected.is_exact && is_proved_;
    if (selected.selections.empty()) {
      if (is_cost_exact) return InfeasibleInPools();
      break;
    }
    if (is_cost_exact) cost_bound = selected.cost;
    TrySelections(selected);
    if (best_.is_set) {
      is_proved_ = is_proved_ && selected.is_all && is_cost_exact &&
                   best_.cost <= pairs_.cost && !limits_.decide;
      break;
    }
    if (limits_.stop.IsSet() || !is_narrowed_) break;
  }
  if (IsBetter(constructed, best_)) {
    is_proved_ = false;
    best_ = std::move(constructed);
  }
  if (!best_.is_set && !(is_large && at_once.is_set)) {
    // There is no time left for a search. Each item goes to the cheapest pool
    // that has room for it, and the items of each pool are stacked if the stack
    // fits the pool.
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
  if (has_costs && !is_proved_ && !limits_.decide) ImproveCosts();
  cost_bound = std::max(cost_bound, BoundCostOfPools(problem_));
  return SolutionOfBest(0, cost_bound + pairs_.cost);
}

// Lowers the cost of the best plan without changing the pool of any record. The
// pools share the remaining limits, those with fewer records first.
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
    const GroupLimits limits = PartOf(LimitsLeft(), order.size() - k);
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

// Returns the better of two constructed plans: one that takes little time, and
// one with as much effort as the strategy `skyline` spends.
ConstrainedSearch::Best ConstrainedSearch::ConstructTwice() const {
  rigid::PoolEffort little;
  little.states = kFewStates;
  little.max_in_nogood = 0;
  little.stop = limits_.stop;
  rigid::PoolEffort usual;
  usual.stop = limits_.stop;
  Best constructed;
  for (const rigid::PoolEffort& effort : {little, usual}) {
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
  const auto cost_of = [this](const Best& b) {
    return CostOfPlan(problem_, {b.offsets, b.total, b.pools});
  };
  return std::pair(cost_of(best), best.total) <
         std::pair(cost_of(other), other.total);
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
  Best found;
  found.is_set = true;
  found.offsets.resize(problem_.size());
  found.pools.resize(problem_.size());
  for (uint32_t p = 0; p < records.size(); ++p) {
    const Packed& packed = PackOnce(records[p], p);
    if (!packed.answer.plan) {
      is_proved_ = is_proved_ && packed.answer.is_proved;
      is_narrowed_ =
          packed.answer.is_proved || records[p].size() <= kMaxInConflict;
      AddNogood(pools, p);
      return;
    }
    is_proved_ = is_proved_ && packed.answer.is_proved;
    found.total += static_cast<uint64_t>(packed.answer.plan->top);
    found.cost += packed.answer.plan->cost;
    for (const uint32_t i : records[p]) {
      found.offsets[i] = packed.offsets[i];
      found.pools[i] = p;
    }
    found.found_by = packed.answer.found_by;
  }
  if (best_.is_set && std::pair(best_.cost, best_.total) <=
                          std::pair(found.cost, found.total)) {
    return;
  }
  best_ = std::move(found);
}

// Adds a nogood: items of the pool that cannot be packed together. Leaves out
// one item after the other as long as it is proved that the remaining items
// cannot be packed. If the pool has many items, the nogood has all of them.
void ConstrainedSearch::AddNogood(const std::vector<uint32_t>& pools,
                                  uint32_t pool) {
  std::vector<uint32_t> items =
      rigid::ItemsByPool(pools, constraints_.pools.size())[pool];
  if (items.size() <= kMaxInConflict) {
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

bool ConstrainedSearch::IsInfeasible(Span<const uint32_t> records,
                                     uint32_t pool,
                                     std::vector<size_t>* offsets) {
  const auto groups = RigidGroups::Make(problem_, records, pool);
  if (!groups || limits_.stop.IsSet()) {
    is_sure_ = false;
    return false;
  }
  GroupLimits limits = LimitsLeft();
  limits.nodes = std::min(limits.nodes, kNodesToExplain);
  limits.decide = true;
  const GroupAnswer answer = FindBestPlan(*groups, relation_, {}, limits);
  nodes_ += answer.nodes;
  is_sure_ = is_sure_ && (answer.plan || answer.is_proved);
  if (answer.plan && offsets != nullptr) {
    offsets->resize(problem_.size());
    groups->WriteOffsets(answer.plan->starts, offsets);
  }
  return !answer.plan && answer.is_proved;
}

// Removes one rigid group after the other as long as the remaining records have
// no plan. For a group of several records it is not known whether each of them
// is needed.
std::vector<uint32_t> ConstrainedSearch::ShrinkConflict(
    std::vector<uint32_t> records, uint32_t pool) {
  const auto group_of = [&](uint32_t record) {
    return constraints_.places.empty() ? kNoGroup
                                       : constraints_.places[record].group;
  };
  if (records.size() > kMaxInConflict) {
    is_sure_ = false;
    return records;
  }
  for (size_t k = 0; k < records.size();) {
    const uint32_t record = records[k];
    std::vector<uint32_t> rest;
    for (const uint32_t other : records) {
      const bool is_same_group =
          other == record ||
          (group_of(record) != kNoGroup && group_of(other) == group_of(record));
      if (!is_same_group) rest.push_back(other);
    }
    std::vector<size_t> offsets;
    if (IsInfeasible(rest, pool, &offsets)) {
      // The records before k are still needed. Each of them was kept because
      // all other records had a plan without it. Now there are even fewer other
      // records, which therefore have a plan as well.
      records = std::move(rest);
    } else {
      is_sure_ = is_sure_ && rest.size() + 1 == records.size();
      offsets_without_.push_back(std::move(offsets));
      ++k;
    }
  }
  return records;
}

}  // namespace stowage::optimal
