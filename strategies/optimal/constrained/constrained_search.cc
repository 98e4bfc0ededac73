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
#include "src/bounds/reuse_tree.h"
#include "src/construct/construct_pools.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/lower_bound.h"

namespace stowage::optimal {
namespace {

using rigid::Level;

// The maximum work for bounding the cost of pairs. With a node budget, the work
// is also limited to kWorkOfNode for each node of the budget.
constexpr uint64_t kMaxWorkToBound = uint64_t{1} << 34;
constexpr uint64_t kWorkOfNode = 64;
// A time limit is short if it is below four times this duration.
constexpr std::chrono::seconds kShortQuarter(1);
// The maximum number of nodes of a search that only reduces a nogood.
constexpr uint64_t kNodesToReduce = 20000;

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
  if (options.node_budget) {
    // With several threads, the threads would share the nodes, so the plan
    // would depend on the number of threads.
    limits_.nodes = *options.node_budget;
  } else {
    limits_.threads = ThreadsOf(options);
  }
}

Solution ConstrainedSearch::Run() {
  if (!limits_.decide) BoundPairs();
  return constraints_.pools.empty() ? SolveOnePool() : SolvePools();
}

// Spends a quarter of the time on a lower bound of the cost of pairs. If the
// time limit is short, spends only an eighth, because plans then improve faster
// than bounds.
void ConstrainedSearch::BoundPairs() {
  StopSignal stop = watch_.SignalAfter(1);
  if (stop.deadline) {
    const auto quarter = *stop.deadline - std::chrono::steady_clock::now();
    if (quarter < kShortQuarter) *stop.deadline -= quarter / 2;
  }
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

// Returns the limits for the search if there is only one pool. The limits make
// the search report its plans and let it raise the lower bound of the cost of
// pairs.
GroupLimits ConstrainedSearch::LimitsOfWhole() {
  GroupLimits limits = LimitsLeft();
  if (constraints_.prefer_apart.empty()) return limits;
  limits.report = [this](const GroupAnswer& answer) { Report(answer); };
  if (problem_.size() > kMaxRecordsOfCases) return limits;
  limits.raise_bound = [this](uint64_t cost) {
    const StopSignal stop = watch_.SignalAfter(2);
    pairs_.cost = BoundReuseByCases(problem_, pairs_, cost, &stop);
    return pairs_.cost;
  };
  return limits;
}

// Reports a plan of the search with only one pool to the observer.
void ConstrainedSearch::Report(const GroupAnswer& answer) {
  SearchProgress progress;
  progress.total_size = static_cast<uint64_t>(answer.plan->top);
  progress.lower_bound =
      std::min(progress.total_size, LowerBoundOf(problem_).bytes);
  progress.nodes = nodes_ + answer.nodes;
  progress.found_by = answer.found_by;
  const uint64_t constant = CostWithinGroups(problem_);
  progress.cost = answer.plan->cost + constant;
  progress.cost_bound = pairs_.cost + constant;
  watch_.OnProgress(progress);
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
    return Infeasible(all);
  }
  Solution nothing;
  nothing.nodes = nodes_;
  return nothing;
}

Solution ConstrainedSearch::Infeasible(Span<const uint32_t> conflict) const {
  Solution solution;
  solution.status = SolutionStatus::kInfeasible;
  solution.nodes = nodes_;
  solution.conflict.assign(conflict.begin(), conflict.end());
  return solution;
}

// Returns the best plan with its bounds. The total is proved optimal only if
// is_proved_ is set.
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

bool ConstrainedSearch::IsInfeasible(Span<const uint32_t> records,
                                     uint32_t pool) {
  const auto groups = RigidGroups::Make(problem_, records, pool);
  if (!groups || limits_.stop.IsSet()) return false;
  GroupLimits limits = LimitsLeft();
  limits.nodes = std::min(limits.nodes, kNodesToReduce);
  limits.decide = true;
  const GroupAnswer answer = FindBestPlan(*groups, relation_, {}, limits);
  nodes_ += answer.nodes;
  return !answer.plan && answer.is_proved;
}

}  // namespace stowage::optimal
