// SPDX-License-Identifier: Apache-2.0
// Searches for offsets of a problem without constraints in a single call. For
// the parts of the search, see offsets_search.h.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_SEARCH_OFFSETS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_SEARCH_OFFSETS_H_

#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

// Runs an OffsetsSearch (offsets_search.h) and returns its result. The problem
// must ask for offsets, and must not have constraints.
Solution SearchOffsets(const Problem& problem, const SolveOptions& options);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_SEARCH_OFFSETS_H_
