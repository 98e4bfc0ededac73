// SPDX-License-Identifier: Apache-2.0
#include "stowage/explain/free_pairs.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/constraints.h"
#include "stowage/cost_curve.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::views {
namespace {

// Returns the problem without its capacities, and with the additional
// constraint that the two records of `pair` must be apart.
ProblemSpec WithPairApart(const ProblemSpec& problem,
                          const ApartPreference& pair) {
  ProblemSpec spec = problem;
  spec.capacity.reset();
  for (MemoryPool& pool : spec.constraints.pools) pool.capacity.reset();
  // `apart` cannot contain the pair yet, because the two records share a byte
  // in a safe plan.
  spec.constraints.apart.push_back({pair.first, pair.second});
  auto& shared = spec.constraints.same_or_apart;
  const auto is_pair = [&](const SharedPlace& other) {
    return std::minmax(other.first, other.second) ==
           std::minmax(pair.first, pair.second);
  };
  shared.erase(std::remove_if(shared.begin(), shared.end(), is_pair),
               shared.end());
  return spec;
}

// Returns whether the two records are in the same group, in which case they
// share a byte in every plan.
bool IsInGroup(const ProblemSpec& problem, const ApartPreference& pair) {
  const std::vector<RecordPlace>& places = problem.constraints.places;
  return !places.empty() && places[pair.first].group != kNoGroup &&
         places[pair.first].group == places[pair.second].group;
}

}  // namespace

absl::StatusOr<std::vector<FreedPair>> FreePairs(
    const PlanView& view, absl::Span<const ApartPreference> pairs,
    const std::string& strategy, const SolveOptions& options) {
  std::vector<FreedPair> freed;
  for (const ApartPreference& pair : pairs) {
    FreedPair& result = freed.emplace_back();
    result.pair = pair;
    if (IsInGroup(view.problem, pair)) continue;
    const absl::StatusOr<Problem> problem =
        Problem::Create(WithPairApart(view.problem, pair));
    if (!problem.ok()) return problem.status();
    const absl::StatusOr<Solution> solution =
        SolveWithCostLimit(*problem, strategy, *view.cost - pair.cost, options);
    if (!solution.ok()) return solution.status();
    if (!solution->has_plan()) continue;
    result.total_size = solution->total_size;
    result.is_least = solution->status == SolutionStatus::kOptimal;
  }
  return freed;
}

}  // namespace stowage::views
