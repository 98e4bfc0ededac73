// SPDX-License-Identifier: Apache-2.0
#include "optimal/constrained/body_optimum.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/bounds/cliques.h"
#include "src/construct/construct_bodies.h"

namespace stowage::optimal {
namespace {

using bodies::kNoLevel;
using bodies::Level;
using bodies::Piece;
using bodies::Relation;

// The maximum number of pairs of conflicting pieces for which a search is made:
// 700 pieces that are live together have that number of pairs. With more pairs,
// nodes take too long to prove anything.
constexpr size_t kMostPairs = size_t{1} << 18;
// The maximum number of comparisons spent on growing cliques.
constexpr uint64_t kMostToGrow = uint64_t{1} << 26;
// The number of random orders that are tried after the first part of the
// search. Then the search continues without a limit of its own.
constexpr size_t kDrawnOrders = 64;
// The number of nodes in the first part of the search, before random orders are
// tried.
constexpr uint64_t kFirstNodes = 4096;

class BodyOptimum {
 public:
  BodyOptimum(const Bodies& bodies, const Relation& relation,
              const std::vector<CostlyPair>& costly, const BodyLimits& limits)
      : bodies_(bodies),
        relation_(relation),
        costly_(costly),
        limits_(limits),
        limit_(std::min(bodies.most(), bodies.capacity().value_or(kNoLevel))) {}

  BodyAnswer Find() {
    answer_.bound = FindBodyBound(bodies_, relation_).bytes;
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
  bool IsBest(const BodyPlan& plan) const {
    return plan.cost == 0 && plan.top <= answer_.bound;
  }
  bool IsDone() const {
    return answer_.plan && (IsBest(*answer_.plan) || limits_.decide);
  }

  void ConstructPlans(size_t drawn_orders) {
    bodies::BodyEffort effort;
    effort.drawn_orders = drawn_orders;
    effort.seed = limits_.seed;
    effort.stop = &limits_.stop;
    auto placing = ConstructBodies(bodies_, relation_, answer_.bound, effort);
    if (!placing || placing->top > limit_) return;
    BodyPlan plan;
    plan.cost = CostOf(bodies_, costly_, placing->starts);
    plan.starts = std::move(placing->starts);
    plan.top = placing->top;
    Keep(std::move(plan), std::move(placing->found_by));
  }

  void Keep(BodyPlan plan, std::string found_by) {
    if (answer_.plan && std::pair(plan.cost, plan.top) >=
                            std::pair(answer_.plan->cost, answer_.plan->top)) {
      return;
    }
    answer_.plan = std::move(plan);
    answer_.found_by = std::move(found_by);
  }

  void Search() {
    WorkLimit work(64 * kMostPairs, &limits_.stop);
    const auto conflicts = ListConflicts(bodies_, relation_, kMostPairs, &work);
    if (!conflicts) return;
    WorkLimit growth(kMostToGrow, &limits_.stop);
    const std::vector<Clique> cliques =
        GrowCliques(bodies_, relation_, *conflicts, &growth);
    for (const Clique& clique : cliques) {
      answer_.bound = std::max(answer_.bound, clique.bytes);
    }
    if (IsDone()) return;
    BodySearch search(bodies_, *conflicts, cliques, costly_);
    search.SetEnough(limits_.decide ? limit_ : answer_.bound);
    if (SearchMore(&search, std::min(limits_.nodes, kFirstNodes))) return;
    if (costly_.empty()) ConstructPlans(kDrawnOrders);
    if (IsDone()) return;
    SearchMore(&search,
               limits_.nodes - std::min(limits_.nodes, search.nodes()));
  }

  // Returns whether there is nothing left to search for.
  bool SearchMore(BodySearch* search, uint64_t nodes) {
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

  const Bodies& bodies_;
  const Relation& relation_;
  const std::vector<CostlyPair>& costly_;
  const BodyLimits& limits_;
  const Level limit_;
  BodyAnswer answer_;
};

}  // namespace

BodyAnswer FindBestPlan(const Bodies& bodies, const Relation& relation,
                        const std::vector<CostlyPair>& costly,
                        const BodyLimits& limits) {
  return BodyOptimum(bodies, relation, costly, limits).Find();
}

uint64_t CostOf(const Bodies& bodies, const std::vector<CostlyPair>& costly,
                const std::vector<Level>& starts) {
  uint64_t cost = 0;
  for (const CostlyPair& pair : costly) {
    const Piece& a = bodies.pieces()[pair.first];
    const Piece& b = bodies.pieces()[pair.second];
    const Level begin_of_a = starts[a.body] + a.at;
    const Level begin_of_b = starts[b.body] + b.at;
    if (begin_of_a < begin_of_b + b.size && begin_of_b < begin_of_a + a.size) {
      cost += pair.cost;
    }
  }
  return cost;
}

}  // namespace stowage::optimal
