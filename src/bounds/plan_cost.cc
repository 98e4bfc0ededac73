// SPDX-License-Identifier: Apache-2.0
#include "stowage/plan_cost.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"

namespace stowage {
namespace {

// Returns whether the two records of the preference share a byte, so the plan
// pays its cost.
bool IsPaid(const Problem& problem, const OffsetsAssignment& plan,
            const ApartPreference& pair) {
  const bool is_one_pool =
      plan.pools.empty() || plan.pools[pair.first] == plan.pools[pair.second];
  const size_t a = plan.offsets[pair.first];
  const size_t b = plan.offsets[pair.second];
  const size_t size_of_a = problem.records()[pair.first].tensor_size;
  const size_t size_of_b = problem.records()[pair.second].tensor_size;
  return is_one_pool && size_of_a > 0 && size_of_b > 0 && a < b + size_of_b &&
         b < a + size_of_a;
}

}  // namespace

uint64_t CostOfPlan(const Problem& problem, const OffsetsAssignment& plan) {
  if (problem.constraints() == nullptr) return 0;
  const Constraints& constraints = *problem.constraints();
  uint64_t cost = 0;
  for (size_t i = 0; i < plan.pools.size() && !constraints.choices.empty();
       ++i) {
    for (const PoolChoice& choice : constraints.choices[i]) {
      if (choice.pool == plan.pools[i]) cost += choice.cost;
    }
  }
  for (const ApartPreference& pair : constraints.prefer_apart) {
    if (IsPaid(problem, plan, pair)) cost += pair.cost;
  }
  return cost;
}

uint64_t BytesNotCopied(const Problem& problem, const OffsetsAssignment& plan) {
  if (problem.constraints() == nullptr) return 0;
  uint64_t bytes = 0;
  for (const SharedPlace& pair : problem.constraints()->same_or_apart) {
    const bool is_one_pool =
        plan.pools.empty() || plan.pools[pair.first] == plan.pools[pair.second];
    if (is_one_pool && plan.offsets[pair.first] == plan.offsets[pair.second]) {
      bytes += pair.copied;
    }
  }
  return bytes;
}

std::vector<ApartPreference> PaidPairs(const Problem& problem,
                                       const OffsetsAssignment& plan) {
  std::vector<ApartPreference> paid;
  if (problem.constraints() == nullptr) return paid;
  for (ApartPreference pair : problem.constraints()->prefer_apart) {
    if (pair.cost == 0 || !IsPaid(problem, plan, pair)) continue;
    if (pair.first > pair.second) std::swap(pair.first, pair.second);
    paid.push_back(pair);
  }
  std::sort(paid.begin(), paid.end(),
            [](const ApartPreference& a, const ApartPreference& b) {
              return std::tie(b.cost, a.first, a.second) <
                     std::tie(a.cost, b.first, b.second);
            });
  return paid;
}

}  // namespace stowage
