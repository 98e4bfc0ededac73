// SPDX-License-Identifier: Apache-2.0
// Computes the smallest plan of a few records. The fuzzers of proofs compare
// this plan with the claims that the proofs support.
#ifndef STOWAGE_FUZZ_EXACT_PLAN_H_
#define STOWAGE_FUZZ_EXACT_PLAN_H_

#include <cstddef>
#include <numeric>
#include <vector>

#include "fuzz/check.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// Returns the smallest plan. Requires that there are so few records that the
// search completes.
inline Solution SolveExactly(const Problem& problem) {
  SolveOptions options;
  options.node_budget = 100'000;
  options.threads = 1;
  return Solve(problem, "optimal", options).value();
}

inline std::vector<size_t> AllRecordsOf(const Problem& problem) {
  std::vector<size_t> all(problem.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

// If `is_proved`, it has been proved that no plan fits `capacity`. Checks that
// in this case the smallest plan, `plan`, does not fit either.
inline void CheckProof(bool is_proved, size_t capacity, const Solution& plan) {
  Check(!is_proved || plan.total_size > capacity,
        "no plan within the capacity is proved, and there is one");
}

}  // namespace stowage

#endif  // STOWAGE_FUZZ_EXACT_PLAN_H_
