// SPDX-License-Identifier: Apache-2.0
// The results of a search besides the plan that it returns.
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
  // True if the bound was proved by a complete search below it, not only by the
  // records live at one task.
  bool searched = false;
  // The data that repeats that search.
  SearchProof search_proof;
  // For shared objects: the weights that prove the bound, if the records alone
  // do.
  ChainWeights chain_weights;
  uint64_t nodes = 0;
  std::string found_by;  // see Solution::found_by
  // If no plan fits the capacity: indices of records that do not fit it even
  // without the others. Empty if no such set is known.
  std::vector<size_t> conflict;
  // True if the set fits as soon as any one of its records is left out.
  bool irreducible = false;
  // The witnesses of irreducibility (Solution::conflict_rests).
  std::vector<std::vector<size_t>> rests;
};

// Returns the plan together with its report.
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
