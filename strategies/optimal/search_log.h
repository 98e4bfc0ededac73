// SPDX-License-Identifier: Apache-2.0
// Makes the proof of an exhausted search something that others can replay
// (SearchProof, solution.h). The search itself keeps nothing for it: it is
// repeated to write the log.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_SEARCH_LOG_H_
#define STOWAGE_STRATEGIES_OPTIMAL_SEARCH_LOG_H_

#include <cstddef>

#include "optimal/packing.h"
#include "optimal/packing_search.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::optimal {

// What repeats a search of a packing that ended with kExhausted.
struct ExhaustedSearch {
  SearchOrder order;
  Level capacity = 0;
};

// The proof that the packing, made of records of `problem` in units of `unit`
// bytes, does not fit the capacity. It keeps no reference to any of these. To
// write its log takes as long as the search did, and 4 MiB.
SearchProof MakeSearchProof(const Problem& problem, const Packing& packing,
                            size_t unit, const ExhaustedSearch& search);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_SEARCH_LOG_H_
