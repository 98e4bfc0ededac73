// SPDX-License-Identifier: Apache-2.0
// What a search has proved besides the plan that it returns.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_SEARCH_REPORT_H_
#define STOWAGE_STRATEGIES_OPTIMAL_SEARCH_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stowage/solution.h"

namespace stowage::optimal {

struct SearchReport {
  size_t lower_bound = 0;  // bytes: no plan is smaller
  // Whether the bound was proved by a complete search below it, not only by
  // what is live at one task.
  bool searched = false;
  // What repeats that search.
  SearchProof search_proof;
  // Of shared objects: what proves the bound, where the records alone do.
  ChainWeights chain_weights;
  uint64_t nodes = 0;
  std::string found_by;  // as Solution::found_by
  // If no plan fits the capacity: records that do not fit it even without the
  // others, by index. Empty where that is not known.
  std::vector<size_t> conflict;
  // Whether without any one of them the rest would fit.
  bool irreducible = false;
  // As Solution::conflict_rests.
  std::vector<std::vector<size_t>> rests;
};

// A plan with its report.
template <typename Assignment>
Solution SolutionOf(Assignment plan, SearchReport report) {
  Solution solution(std::move(plan));
  solution.lower_bound = report.lower_bound;
  solution.bound_is_searched = report.searched;
  solution.search_proof = std::move(report.search_proof);
  solution.chain_weights = std::move(report.chain_weights);
  solution.nodes = report.nodes;
  solution.found_by = std::move(report.found_by);
  solution.conflict = std::move(report.conflict);
  solution.conflict_is_irreducible = report.irreducible;
  solution.conflict_rests = std::move(report.rests);
  return solution;
}

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_SEARCH_REPORT_H_
