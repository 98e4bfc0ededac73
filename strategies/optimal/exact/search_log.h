// SPDX-License-Identifier: Apache-2.0
// Converts an exhausted search for offsets to a proof (SearchProof,
// solution.h), and writes the log of this search. A search records nothing when
// it is first run, so it is repeated to write the log. For proofs for shared
// objects, see class_log.h.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EXACT_SEARCH_LOG_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EXACT_SEARCH_LOG_H_

#include <cstddef>

#include "optimal/exact/packing.h"
#include "optimal/exact/packing_search.h"
#include "stowage/base/status.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

// The data that is needed, in addition to the packing, to repeat a search that
// ended with kExhausted.
struct ExhaustedSearch {
  SearchOrder order;
  Level capacity = 0;
};

// Returns the proof that the packing, with levels in units of `unit` bytes,
// does not fit the capacity.
SearchProof MakeSearchProof(const Packing& packing, size_t unit,
                            const ExhaustedSearch& search);

// Writes the log of a proof that MakeSearchProof made for records of `problem`.
// Takes as long as the search did, and 4 MiB of memory. Errors: the first error
// of `write`; Internal if the repeated search finds a plan or does not finish.
Status WriteOffsetsLog(const Problem& problem, const SearchProof& proof,
                       const WriteText& write);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EXACT_SEARCH_LOG_H_
