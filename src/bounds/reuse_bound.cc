// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/reuse_bound.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "src/base/int128.h"
#include "src/bounds/clique_search.h"
#include "src/bounds/clique_weights.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/pool_items.h"
#include "src/bounds/reuse_graph.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage {
namespace {

using reuse::CliqueSearch;
using reuse::CliqueWeights;
using reuse::CostlyClique;
using reuse::kFullPrice;
using reuse::ReuseGraph;
using reuse::SoftPair;

// The accuracy of the weights in the first rounds and in the last rounds.
constexpr uint64_t kFirstAccuracy = 4;
constexpr uint64_t kLastAccuracy = 64;
// A clique whose prices sum to this number or more is not worth adding to the
// linear program.
constexpr uint64_t kNearlyFull = kFullPrice / 100 * 99;
// The limit of the sum of the costs, divided by divisor_, times the scale.
constexpr uint64_t kMaxSum = uint64_t{1} << 62;
// The largest scale of weights.
constexpr uint64_t kScale = uint64_t{1} << 20;
// The search may stop after this many successive rounds without a violated
// clique.
constexpr size_t kIdleRounds = 4;
// The maximum number of random starts in one round, per node of the graph.
constexpr size_t kStartsPerNode = 4;

// Raises the bound of one pool, round by round. Each round first finds cliques
// that are violated at the current prices of the pairs, and then computes
// weights and new prices for all cliques.
class PoolBound {
 public:
  // Requires that the graph has at least one pair.
  PoolBound(const ReuseGraph& graph, WorkLimit* work)
      : graph_(graph), work_(work), search_(graph, /*seed=*/1) {
    uint64_t sum = 0;
    divisor_ = 0;
    for (const SoftPair& pair : graph.pairs()) {
      divisor_ = std::gcd(divisor_, pair.cost);
      sum += pair.cost;  // fits 64 bits (Problem::Create)
    }
    while (scale_ > 1 && sum >= kMaxSum / scale_) scale_ /= 2;
    while (sum / divisor_ >= kMaxSum / scale_) divisor_ *= 2;
    for (const SoftPair& pair : graph.pairs()) {
      costs_.push_back(pair.cost / divisor_);
    }
  }

  ReuseBound Find() {
    CliqueWeights weights(costs_, scale_);
    uint64_t accuracy = kFirstAccuracy;
    size_t idle_rounds = 0;
    SetFirstPrices();
    for (;;) {
      const size_t found = AddViolated(&weights);
      if (weights.cliques().empty()) break;
      const bool is_complete = weights.Solve(accuracy, work_);
      Keep(weights);
      if (!is_complete) break;
      idle_rounds = found == 0 ? idle_rounds + 1 : 0;
      if (idle_rounds >= kIdleRounds &&
          (accuracy == kLastAccuracy || !MayRise(weights.prices()))) {
        break;
      }
      if (found <= graph_.size() / 8) {
        accuracy = std::min(2 * accuracy, kLastAccuracy);
      }
      search_.SetPrices(weights.prices());
      limit_ = kNearlyFull;
      weights.DropIdle();
      seen_.clear();
      for (const CostlyClique& clique : weights.cliques()) {
        seen_.insert(clique.nodes);
      }
    }
    best_.prices.clear();
    for (size_t p = 0; p < weights.prices().size(); ++p) {
      const SoftPair& pair = graph_.pairs()[p];
      best_.prices.push_back({graph_.record_of(pair.first),
                              graph_.record_of(pair.second),
                              weights.prices()[p]});
    }
    return std::move(best_);
  }

 private:
  // Sets the price of each pair to be inversely proportional to its cost. At
  // these prices, the search first finds cliques whose records must overlap
  // most and whose pairs cost most. In the first round, every clique whose
  // records must overlap counts as violated.
  void SetFirstPrices() {
    const uint64_t least =
        std::max<uint64_t>(1, *std::min_element(costs_.begin(), costs_.end()));
    std::vector<uint32_t> prices;
    for (const uint64_t cost : costs_) {
      prices.push_back(static_cast<uint32_t>(std::max<uint64_t>(
          1, kFullPrice / 64 / (std::max(cost, least) / least))));
    }
    search_.SetPrices(prices);
  }

  // Searches from some random starts, adds the violated cliques that are found,
  // and returns their number.
  size_t AddViolated(CliqueWeights* weights) {
    const size_t enough = std::max<size_t>(8, graph_.size() / 2);
    // Half of the remaining work is reserved for computing the weights of the
    // cliques.
    const uint64_t reserve = work_->left() / 2;
    size_t count = 0;
    for (size_t k = 0; k < kStartsPerNode * graph_.size() && count < enough;
         ++k) {
      if (work_->left() <= reserve) break;
      auto found = search_.Next(work_);
      if (!found || found->sum >= limit_) continue;
      std::sort(found->nodes.begin(), found->nodes.end());
      if (!seen_.insert(found->nodes).second) continue;
      auto clique = graph_.CliqueOf(std::move(found->nodes));
      if (!clique || !CanPay(*clique)) continue;
      weights->Add(*std::move(clique));
      ++count;
    }
    return count;
  }

  // Returns whether all pairs of the clique have a cost above 0, that is,
  // whether no cost was rounded down to 0.
  bool CanPay(const CostlyClique& clique) const {
    return std::all_of(
        clique.shares.begin(), clique.shares.end(),
        [&](const auto& share) { return costs_[share.pair] > 0; });
  }

  // Returns whether other weights for the same cliques may prove a higher bound
  // than the best one. If no clique is violated at the given prices, no weights
  // prove more than the sum of cost times price over all pairs.
  bool MayRise(const std::vector<uint32_t>& prices) const {
    uint128 sum = 0;
    for (size_t p = 0; p < costs_.size(); ++p) {
      sum += uint128(costs_[p]) * prices[p];
    }
    return sum > uint128(best_.cost / divisor_) * kFullPrice;
  }

  // Keeps the bound that the weights prove if it is higher than the best bound
  // so far.
  void Keep(const CliqueWeights& weights) {
    ReuseBound bound;
    for (const std::vector<uint32_t>& part : PartsOf(weights)) {
      AddProof(weights, part, &bound);
    }
    if (bound.cost > best_.cost) best_ = std::move(bound);
  }

  // Divides the cliques that have weights into parts such that cliques of
  // different parts have no pair in common. Returns the numbers of the cliques
  // of each part. The cost of each part can be rounded up separately, since no
  // pair pays in two parts.
  std::vector<std::vector<uint32_t>> PartsOf(
      const CliqueWeights& weights) const {
    std::vector<uint32_t> leader(costs_.size());  // of pairs; forms a forest
    std::iota(leader.begin(), leader.end(), 0);
    const auto find = [&](uint32_t pair) {
      while (leader[pair] != pair) pair = leader[pair] = leader[leader[pair]];
      return pair;
    };
    const std::vector<CostlyClique>& cliques = weights.cliques();
    for (size_t r = 0; r < cliques.size(); ++r) {
      if (weights.weights()[r] == 0) continue;
      const uint32_t first = find(cliques[r].shares.front().pair);
      for (const CostlyClique::Share& share : cliques[r].shares) {
        leader[find(share.pair)] = first;
      }
    }
    std::vector<std::vector<uint32_t>> of_leader(costs_.size());
    for (uint32_t r = 0; r < cliques.size(); ++r) {
      if (weights.weights()[r] == 0) continue;
      of_leader[find(cliques[r].shares.front().pair)].push_back(r);
    }
    std::vector<std::vector<uint32_t>> parts;
    for (std::vector<uint32_t>& part : of_leader) {
      if (!part.empty()) parts.push_back(std::move(part));
    }
    return parts;
  }

  // Adds the cliques of a part to the proofs. In a proof, the weights refer to
  // the original costs, which are not yet divided by divisor_.
  void AddProof(const CliqueWeights& weights, Span<const uint32_t> part,
                ReuseBound* bound) const {
    uint64_t unit = 0;  // the costs of the part are multiples of it
    CostProof proof;
    proof.scale = scale_;
    uint64_t sum = 0;
    for (const uint32_t r : part) {
      for (const CostlyClique::Share& share : weights.cliques()[r].shares) {
        unit = std::gcd(unit, graph_.pairs()[share.pair].cost);
      }
      CostProof::Clique clique;
      clique.weight = weights.weights()[r] * divisor_;
      sum += clique.weight;
      for (const uint32_t node : weights.cliques()[r].nodes) {
        clique.records.push_back(graph_.record_of(node));
      }
      std::sort(clique.records.begin(), clique.records.end());
      proof.cliques.push_back(std::move(clique));
    }
    const uint64_t cost = (sum - 1) / scale_ + 1;
    bound->cost += ((cost - 1) / unit + 1) * unit;
    bound->proofs.push_back(std::move(proof));
  }

  const ReuseGraph& graph_;
  WorkLimit* const work_;
  CliqueSearch search_;
  std::vector<uint64_t> costs_;  // by pair, divided by divisor_, rounded down
  uint64_t divisor_ = 1;
  uint64_t scale_ = kScale;
  uint64_t limit_ = ~uint64_t{0};  // sums of prices below it are violated
  std::set<std::vector<uint32_t>> seen_;
  ReuseBound best_;
};

// Returns, for each pool, the records that are in this pool in every plan.
std::vector<std::vector<uint32_t>> RecordsOfPools(const Problem& problem) {
  const size_t pools = problem.constraints()->pools.size();
  if (pools == 0) return {rigid::AllRecordsOf(problem)};
  std::vector<std::vector<uint32_t>> records(pools);
  for (const rigid::PoolItem& item : rigid::PoolItemsOf(problem)) {
    if (item.choices.size() != 1) continue;
    std::vector<uint32_t>& there = records[item.choices.front().pool];
    there.insert(there.end(), item.records.begin(), item.records.end());
  }
  for (std::vector<uint32_t>& list : records) {
    std::sort(list.begin(), list.end());
  }
  return records;
}

}  // namespace

ReuseBound BoundReuse(const Problem& problem, uint64_t work,
                      const StopSignal* stop) {
  ReuseBound bound;
  if (problem.constraints()->prefer_apart.empty()) return bound;
  const rigid::Relation relation(problem);
  const auto records = RecordsOfPools(problem);
  for (uint32_t pool = 0; pool < records.size(); ++pool) {
    if (stop != nullptr && stop->IsSet()) break;
    WorkLimit of_pool(work / records.size(), stop);
    const ReuseGraph graph =
        ReuseGraph::Make(problem, relation, records[pool], pool, &of_pool);
    if (graph.pairs().empty()) continue;
    ReuseBound part = PoolBound(graph, &of_pool).Find();
    bound.cost += part.cost;
    bound.prices.insert(bound.prices.end(), part.prices.begin(),
                        part.prices.end());
    std::move(part.proofs.begin(), part.proofs.end(),
              std::back_inserter(bound.proofs));
  }
  return bound;
}

}  // namespace stowage
