// SPDX-License-Identifier: Apache-2.0
#include "optimal/constrained/group_optimum.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/bounds/cliques.h"
#include "src/construct/construct_groups.h"

namespace stowage::optimal {
namespace {

using rigid::kNoLevel;
using rigid::Level;
using rigid::Piece;
using rigid::Relation;

// The maximum number of pairs of conflicting pieces for which a search is made:
// 700 pieces that are live together have that number of pairs. With more pairs,
// nodes take too long to prove anything.
constexpr size_t kMaxPairs = size_t{1} << 18;
// The maximum number of comparisons spent on growing cliques.
constexpr uint64_t kMaxToGrow = uint64_t{1} << 26;
// The number of random orders that are tried after the first part of the
// search. Then the search continues without a limit of its own.
constexpr size_t kSampledOrders = 64;
// The number of nodes in the first part of the search, before random orders are
// tried.
constexpr uint64_t kFirstNodes = 4096;

class GroupOptimum {
 public:
  GroupOptimum(const RigidGroups& groups, const Relation& relation,
               const std::vector<CostlyPair>& costly, const GroupLimits& limits)
      : groups_(groups),
        relation_(relation),
        costly_(costly),
        limits_(limits),
        limit_(std::min(groups.max(), groups.capacity().value_or(kNoLevel))) {}

  GroupAnswer Find() {
    answer_.bound = FindGroupBound(groups_, relation_).bytes;
    if (answer_.bound > limit_) {
      answer_.is_proved = true;
      return std::move(answer_);
    }
    ConstructPlans(0);
    if (!IsDone() && !limits_.stop.IsSet()) Search();
    if (answer_.plan && IsBest(*answer_.plan)) answer_.is_proved = true;
    return std::move(answer_);
  }

 private:
  bool IsBest(const GroupPlan& plan) const {
    return plan.cost == 0 && plan.top <= answer_.bound;
  }
  bool IsDone() const {
    return answer_.plan && (IsBest(*answer_.plan) || limits_.decide);
  }

  void ConstructPlans(size_t sampled_orders) {
    rigid::GroupEffort effort;
    effort.sampled_orders = sampled_orders;
    effort.seed = limits_.seed;
    effort.stop = &limits_.stop;
    auto placing = ConstructGroups(groups_, relation_, answer_.bound, effort);
    if (!placing || placing->top > limit_) return;
    GroupPlan plan;
    plan.cost = CostOf(groups_, costly_, placing->starts);
    plan.starts = std::move(placing->starts);
    plan.top = placing->top;
    Keep(std::move(plan), std::move(placing->found_by));
  }

  void Keep(GroupPlan plan, std::string found_by) {
    if (answer_.plan && std::pair(plan.cost, plan.top) >=
                            std::pair(answer_.plan->cost, answer_.plan->top)) {
      return;
    }
    answer_.plan = std::move(plan);
    answer_.found_by = std::move(found_by);
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
    search.SetEnough(limits_.decide ? limit_ : answer_.bound);
    if (SearchMore(&search, std::min(limits_.nodes, kFirstNodes))) return;
    if (costly_.empty()) ConstructPlans(kSampledOrders);
    if (IsDone()) return;
    SearchMore(&search,
               limits_.nodes - std::min(limits_.nodes, search.nodes()));
  }

  // Returns whether there is nothing left to search for.
  bool SearchMore(GroupSearch* search, uint64_t nodes) {
    const bool is_complete =
        search->Run(limit_, answer_.plan, nodes, limits_.stop);
    answer_.nodes = search->nodes();
    if (search->best()) {
      Keep(*search->best(), absl::StrCat("body search (seed ", limits_.seed,
                                         ", node ", search->nodes(), ")"));
    }
    // A search that only decides whether there is a plan ends at its first
    // plan, and has not proved that this plan is the best one.
    if (is_complete && !(limits_.decide && answer_.plan)) {
      answer_.is_proved = true;
      answer_.is_searched = true;
      // The search has proved that no better plan exists. With costs, there may
      // still be a plan with a lower top and a higher cost, so that the top of
      // the best plan is no bound.
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
  const Level limit_;
  GroupAnswer answer_;
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
