// SPDX-License-Identifier: Apache-2.0
#include "optimal/constrained/group_optimum.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optimal/constrained/reuse/costless_groups.h"
#include "optimal/constrained/reuse/pack_without_costs.h"
#include "optimal/constrained/reuse/reuse_annealing.h"
#include "src/base/run_on_threads.h"
#include "src/base/str_cat.h"
#include "src/bounds/cliques.h"
#include "src/construct/construct_groups.h"
#include "src/construct/place_groups.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::optimal {
namespace {

using rigid::Clique;
using rigid::GroupSearch;
using rigid::kNoLevel;
using rigid::Level;
using rigid::Piece;
using rigid::Relation;

// The maximum number of pairs of conflicting pieces with which a search is
// made. About 700 pieces that are all live together have this number of pairs.
// With more pairs, nodes take too long to prove anything.
constexpr size_t kMaxPairs = size_t{1} << 18;
// The maximum number of comparisons spent on growing cliques.
constexpr uint64_t kMaxToGrow = uint64_t{1} << 26;
// With at most this number of groups, plans are constructed even if no time is
// left, since the construction takes only a moment.
constexpr size_t kFewGroups = 256;
// The number of random orders that are tried after the first part of the
// search. The search then continues without a limit of its own.
constexpr size_t kSampledOrders = 64;
// The number of nodes in the first part of the search, before random orders are
// tried.
constexpr uint64_t kFirstNodes = 4096;
// The maximum number of pairs with costs for which the annealing runs.
constexpr size_t kMaxCosts = size_t{1} << 20;
// The maximum number of pairs of a piece and a hole for which the annealing
// runs.
constexpr uint64_t kMaxPiecesAtHoles = uint64_t{1} << 21;
constexpr uint64_t kNoNodes = ~uint64_t{0};
// The maximum numbers of records and of pairs with costs for which plans of
// cost 0 are constructed before the annealing. Deriving their problem copies
// both.
constexpr size_t kMaxCostless = size_t{1} << 15;
// If pairs have costs, the maximum number of pairs that the nodes of the first
// part may visit in total.
constexpr uint64_t kFirstPairs = uint64_t{1} << 20;
// If pairs have costs, the maximum of the number of nodes in the first part
// times the square of the number of pairs. With very many pairs, a complete
// search proves nothing, so this limit makes the annealing begin earlier.
constexpr uint64_t kFirstSquares = uint64_t{1} << 32;

class GroupOptimum {
 public:
  GroupOptimum(const RigidGroups& groups, const Relation& relation,
               const std::vector<CostlyPair>& costly, const GroupLimits& limits)
      : groups_(groups),
        relation_(relation),
        costly_(costly),
        limits_(limits),
        cost_bound_(limits.cost_bound),
        limit_(std::min(groups.max(), groups.capacity().value_or(kNoLevel))) {}

  GroupAnswer Find() {
    answer_.bound = FindGroupBound(groups_, relation_).bytes;
    if (answer_.bound > limit_) {
      answer_.is_proved = true;
      return std::move(answer_);
    }
    ConstructPlans(0);
    if (!costly_.empty()) ConstructLargestFirst();
    if (MayBeCostless()) {
      costless_ = MakeCostlessGroups(groups_, costly_, limit_);
      ConstructPlansWithoutCost(0);
    }
    if (!IsDone() && !limits_.stop.IsSet()) Search();
    if (answer_.plan && IsBest(*answer_.plan)) {
      answer_.is_proved = true;
      // If the top exceeds the bound, the search of MakeFreeSearch has proved
      // that the plan is the best.
      if (answer_.plan->top > answer_.bound) answer_.is_searched = true;
    }
    return std::move(answer_);
  }

 private:
  bool IsBest(const GroupPlan& plan) const {
    if (plan.cost == 0 && plan.top <= free_bound_) return true;
    return plan.cost <= cost_bound_ && plan.top <= answer_.bound;
  }
  uint64_t NodesLeft() const {
    return limits_.nodes - std::min(limits_.nodes, answer_.nodes);
  }
  bool IsDone() const {
    return answer_.plan && (IsBest(*answer_.plan) || limits_.decide);
  }

  void ConstructPlans(size_t sampled_orders) {
    Construct(groups_, relation_, sampled_orders);
  }

  bool MayBeCostless() const {
    return !costly_.empty() && costly_.size() <= kMaxCostless &&
           groups_.problem().size() <= kMaxCostless && !limits_.is_quick &&
           !limits_.decide && !IsDone() && !limits_.stop.IsSet();
  }

  // Constructs plans of cost 0, if possible.
  void ConstructPlansWithoutCost(size_t sampled_orders) {
    if (costless_.relation == nullptr) return;
    Construct(*costless_.groups, *costless_.relation, sampled_orders);
  }

  void Construct(const RigidGroups& groups, const Relation& relation,
                 size_t sampled_orders) {
    rigid::GroupEffort effort;
    effort.sampled_orders = sampled_orders;
    effort.seed = limits_.seed;
    StopSignal stop = limits_.stop;
    if (groups_.size() <= kFewGroups) stop.deadline.reset();
    effort.stop = &stop;
    auto placing = ConstructGroups(groups, relation, answer_.bound, effort);
    if (!placing) return;
    KeepStarts(std::move(placing->starts), std::move(placing->found_by));
  }

  // Makes the plan of `greedy_by_size`, which may cost less than the plans with
  // the lowest tops.
  void ConstructLargestFirst() {
    WorkLimit work(kMaxToGrow, &limits_.stop);
    const auto conflicts = ListConflicts(groups_, relation_, kMaxPairs, &work);
    if (!conflicts || !rigid::FixedGroupsFit(groups_, relation_)) return;
    auto starts = rigid::PlaceGroupsLowest(
        groups_, *conflicts, rigid::LargestFirst(groups_), limit_ + 1, &work);
    if (starts) KeepStarts(*std::move(starts), "lowest place (order size)");
  }

  void KeepStarts(std::vector<Level> starts, std::string found_by) {
    GroupPlan plan;
    plan.cost = CostOf(groups_, costly_, starts);
    plan.top = groups_.TopOf(starts);
    plan.starts = std::move(starts);
    if (plan.top <= limit_) Keep(std::move(plan), std::move(found_by));
  }

  void Keep(GroupPlan plan, std::string found_by) {
    if (answer_.plan && std::pair(plan.cost, plan.top) >=
                            std::pair(answer_.plan->cost, answer_.plan->top)) {
      return;
    }
    answer_.plan = std::move(plan);
    answer_.found_by = std::move(found_by);
    if (limits_.report) limits_.report(answer_);
  }

  void Search() {
    WorkLimit work(64 * kMaxPairs, &limits_.stop);
    const auto conflicts = ListConflicts(groups_, relation_, kMaxPairs, &work);
    if (!conflicts) return;
    WorkLimit growth(kMaxToGrow, &limits_.stop);
    const std::vector<Clique> cliques =
        GrowCliques(groups_, relation_, *conflicts, &growth);
    for (const Clique& clique : cliques) {
      answer_.bound = std::max(answer_.bound, clique.bytes);
    }
    if (IsDone()) return;
    GroupSearch search(groups_, *conflicts, cliques, costly_);
    search.SetEnough(cost_bound_, limits_.decide ? limit_ : answer_.bound);
    if (!costly_.empty()) return SearchCosts(*conflicts, &search);
    if (SearchMore(&search, kFirstNodes)) return;
    ConstructPlans(kSampledOrders);
    if (IsDone()) return;
    SearchMore(&search, limits_.nodes);
  }

  // Alternates between the search, which can prove that a plan is the best one,
  // and rounds of annealing, which find good plans of many groups. The search
  // may visit one pair for each placement of the annealing.
  void SearchCosts(Span<const std::vector<uint32_t>> conflicts,
                   GroupSearch* search) {
    const uint64_t pairs = 1 + costly_.size() + rigid::EstimatePairs(conflicts);
    const uint64_t first = std::min(
        {kFirstNodes, kFirstPairs / pairs, kFirstSquares / pairs / pairs});
    if (SearchMore(search, std::min(first, limits_.nodes / 2))) return;
    if (!answer_.plan) ConstructPlans(kSampledOrders);
    if (!answer_.plan) PackTightly();
    if (IsDone() || (answer_.plan && limits_.is_quick)) return;
    if (costly_.size() > kMaxCosts ||
        groups_.pieces().size() * uint64_t{groups_.holes().size()} >
            kMaxPiecesAtHoles) {
      SearchMore(search, limits_.nodes);
      return;
    }
    if (answer_.plan && limits_.raise_bound) RaiseBound(conflicts, search);
    if (IsDone()) return;
    std::vector<std::unique_ptr<ReuseAnnealing>> annealings;
    for (size_t k = 0; k < limits_.threads; ++k) {
      annealings.push_back(std::make_unique<ReuseAnnealing>(
          groups_, conflicts, costly_, Goal(), limits_.seed + k));
    }
    if (limits_.known != nullptr) KeepKnown(annealings.front().get());
    while (answer_.nodes < limits_.nodes && !limits_.stop.IsSet()) {
      if (free_bound_ < 0 && answer_.plan && answer_.plan->cost == 0) {
        MakeFreeSearch(conflicts);
        ConstructPlansWithoutCost(kSampledOrders);
        if (free_search_ != nullptr) {
          if (IsDone() || SearchMore(free_search_.get(), first)) return;
          search = free_search_.get();
        }
      }
      if (IsDone()) return;
      const uint64_t placements = RunRounds(annealings);
      // If no group can move, the annealing cannot improve anything, so the
      // search gets all remaining nodes.
      const uint64_t nodes =
          placements > 0 ? placements / pairs : limits_.nodes;
      if (IsDone() || SearchMore(search, nodes)) return;
      if (placements == 0) return;
    }
  }

  // Makes a search for plans of cost 0, unless there are too many pairs. This
  // search treats pairs with a cost as conflicts, so it has larger cliques and
  // its nodes prove more.
  void MakeFreeSearch(Span<const std::vector<uint32_t>> conflicts) {
    free_conflicts_.assign(conflicts.begin(), conflicts.end());
    for (const CostlyPair& pair : costly_) {
      if (pair.cost == 0) continue;
      free_conflicts_[pair.first].push_back(pair.second);
      free_conflicts_[pair.second].push_back(pair.first);
    }
    for (std::vector<uint32_t>& of_piece : free_conflicts_) {
      std::sort(of_piece.begin(), of_piece.end());
      of_piece.erase(std::unique(of_piece.begin(), of_piece.end()),
                     of_piece.end());
    }
    free_bound_ = answer_.bound;
    if (rigid::EstimatePairs(free_conflicts_) > kMaxPairs) return;
    WorkLimit growth(kMaxToGrow, &limits_.stop);
    free_cliques_ = GrowCliques(groups_, relation_, free_conflicts_, &growth);
    for (const Clique& clique : free_cliques_) {
      free_bound_ = std::max(free_bound_, clique.bytes);
    }
    free_search_ = std::make_unique<GroupSearch>(
        groups_, free_conflicts_, free_cliques_, Span<const CostlyPair>());
    free_search_->SetEnough(0, limits_.decide ? limit_ : free_bound_);
  }

  // Completes the known offsets to a plan, if there is room for the groups
  // without a known offset.
  void KeepKnown(ReuseAnnealing* annealing) {
    std::vector<Level> starts(groups_.size());
    std::vector<uint32_t> others;
    for (uint32_t b = 0; b < groups_.size(); ++b) {
      const auto pieces = groups_.PiecesOf(b);
      if (pieces.empty() || groups_[b].is_fixed()) {
        starts[b] = groups_[b].min;
        continue;
      }
      const size_t offset = (*limits_.known)[pieces.front().record];
      if (offset == ~size_t{0}) {
        others.push_back(b);
      } else {
        starts[b] = static_cast<Level>(offset) - pieces.front().at;
      }
    }
    optional<GroupPlan> plan = answer_.plan;
    if (annealing->Complete(starts, others, &plan)) {
      Keep(*std::move(plan), annealing->found_by());
    }
  }

  // Runs one round of each annealing, each on its own thread. All annealings
  // start from the best plan. Returns the number of placements.
  uint64_t RunRounds(Span<const std::unique_ptr<ReuseAnnealing>> annealings) {
    std::vector<optional<GroupPlan>> plans(annealings.size(), answer_.plan);
    uint64_t before = 0;
    for (const auto& annealing : annealings) before += annealing->nodes();
    RunEachOnThreads(
        annealings.size(), annealings.size(), &limits_.stop, [&](size_t k) {
          annealings[k]->RunRound(NodesLeft(), limits_.stop, &plans[k]);
        });
    uint64_t after = 0;
    for (const auto& annealing : annealings) after += annealing->nodes();
    answer_.nodes += after - before;
    for (size_t k = 0; k < annealings.size(); ++k) {
      if (plans[k]) Keep(*std::move(plans[k]), annealings[k]->found_by());
    }
    return after - before;
  }

  ReuseGoal Goal() const {
    ReuseGoal goal;
    goal.limit = limit_;
    goal.bound = answer_.bound;
    goal.cost_bound = cost_bound_;
    // This is equivalent to 4 * limit < 5 * bound, but cannot overflow.
    goal.is_tight = limit_ - answer_.bound <= (answer_.bound - 1) / 4;
    return goal;
  }

  // Anneals once. If the plan still costs more than the bound, tries to raise
  // the bound to the cost of the plan.
  void RaiseBound(Span<const std::vector<uint32_t>> conflicts,
                  GroupSearch* search) {
    ReuseAnnealing annealing(groups_, conflicts, costly_, Goal(), limits_.seed);
    optional<GroupPlan> plan = answer_.plan;
    const bool is_better =
        annealing.RunRound(NodesLeft() / 4, limits_.stop, &plan);
    answer_.nodes += annealing.nodes();
    if (is_better) Keep(*std::move(plan), annealing.found_by());
    if (answer_.plan->cost <= cost_bound_) return;
    cost_bound_ = limits_.raise_bound(answer_.plan->cost);
    search->SetEnough(cost_bound_, limits_.decide ? limit_ : answer_.bound);
    if (limits_.report) limits_.report(answer_);
  }

  // Looks for a plan of any cost. Used when no constructed plan fits.
  void PackTightly() {
    CostlessPacking packing =
        PackWithoutCosts(groups_, relation_, limit_,
                         limits_.nodes == kNoNodes ? kNoNodes : NodesLeft() / 2,
                         limits_.seed, limits_.stop);
    answer_.nodes += packing.nodes;
    if (packing.starts) {
      KeepStarts(*std::move(packing.starts), std::move(packing.found_by));
    }
  }

  // Searches up to `nodes` further nodes. Returns whether the search has
  // finished or is no longer needed.
  bool SearchMore(GroupSearch* search, uint64_t nodes) {
    const uint64_t before = search->nodes();
    const bool is_complete = search->Run(
        limit_, answer_.plan, std::min(nodes, NodesLeft()), limits_.stop);
    answer_.nodes += search->nodes() - before;
    if (search->best()) {
      Keep(*search->best(), StrCat("body search (seed ", limits_.seed,
                                   ", node ", search->nodes(), ")"));
    }
    // If the search only has to decide whether a plan exists, it stops at its
    // first plan, which is not proved to be the best one.
    if (is_complete && !(limits_.decide && answer_.plan)) {
      answer_.is_proved = true;
      answer_.is_searched = true;
      // The search has proved that no better plan exists. With costs, a plan
      // with a lower top and a higher cost may still exist, so the top of the
      // best plan is not a lower bound.
      if (!answer_.plan) {
        answer_.bound = limit_ + 1;
      } else if (costly_.empty()) {
        answer_.bound = answer_.plan->top;
      }
    }
    return is_complete || IsDone();
  }

  const RigidGroups& groups_;
  const Relation& relation_;
  const std::vector<CostlyPair>& costly_;
  const GroupLimits& limits_;
  uint64_t cost_bound_;
  const Level limit_;
  GroupAnswer answer_;
  CostlessGroups costless_;
  // See MakeFreeSearch.
  std::vector<std::vector<uint32_t>> free_conflicts_;
  std::vector<Clique> free_cliques_;
  std::unique_ptr<GroupSearch> free_search_;
  Level free_bound_ = -1;  // no plan without cost ends lower
};

}  // namespace

GroupAnswer FindBestPlan(const RigidGroups& groups, const Relation& relation,
                         const std::vector<CostlyPair>& costly,
                         const GroupLimits& limits) {
  return GroupOptimum(groups, relation, costly, limits).Find();
}

uint64_t CostOf(const RigidGroups& groups,
                const std::vector<CostlyPair>& costly,
                const std::vector<Level>& starts) {
  uint64_t cost = 0;
  for (const CostlyPair& pair : costly) {
    const Piece& a = groups.pieces()[pair.first];
    const Piece& b = groups.pieces()[pair.second];
    const Level begin_of_a = starts[a.group] + a.at;
    const Level begin_of_b = starts[b.group] + b.at;
    if (begin_of_a < begin_of_b + b.size && begin_of_b < begin_of_a + a.size) {
      cost += pair.cost;
    }
  }
  return cost;
}

}  // namespace stowage::optimal
