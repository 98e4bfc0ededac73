// SPDX-License-Identifier: Apache-2.0
// Makes a proof that can be replayed (SearchProof, solution.h) out of an
// exhausted search. The search itself records nothing for it: it is repeated to
// write the log.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EXACT_SEARCH_LOG_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EXACT_SEARCH_LOG_H_

#include <cstddef>

#include "optimal/exact/packing.h"
#include "optimal/exact/packing_search.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::optimal {

// The data needed to repeat a search of a packing that ended with kExhausted.
struct ExhaustedSearch {
  SearchOrder order;
  Level capacity = 0;
};

// Returns the proof that the packing, made of records of `problem` in units of
// `unit` bytes, does not fit the capacity. The proof keeps no reference to the
// arguments. Writing its log takes as long as the search did, and 4 MiB.
SearchProof MakeSearchProof(const Problem& problem, const Packing& packing,
                            size_t unit, const ExhaustedSearch& search);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EXACT_SEARCH_LOG_H_
