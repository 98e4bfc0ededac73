// SPDX-License-Identifier: Apache-2.0
// Converts a ClassSearch that branched to a proof (SearchProof, solution.h),
// and writes the log of this search. A search records nothing when it is first
// run, so it is repeated to write the log. For proofs for offsets, see
// search_log.h.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_LOG_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_LOG_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "optimal/objects/objects_kernel.h"
#include "src/construct/linear_program.h"
#include "stowage/base/status.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

// The data needed to repeat a ClassSearch that was complete and that proved its
// result by branching.
struct CompleteSearch {
  std::vector<ObjectItem> items;  // has the input of the model, in its order
  std::vector<size_t> records;    // the index of the record of each item
  size_t limit = 0;       // the limit at the start of the search, in bytes
  size_t last_limit = 0;  // the limit at the end of the search, in bytes
};

// Returns the proof that the total of every assignment of the records to shared
// objects is at least the last limit of the search.
SearchProof MakeClassProof(const CompleteSearch& search);

// Writes the log of a proof that MakeClassProof made for records of `problem`.
// Takes as long as the search did, and 4 MiB in addition to the memory of the
// search. Errors: those of WriteClassLog.
Status WriteObjectsLog(const Problem& problem, const SearchProof& proof,
                       const WriteText& write);

// Repeats the search with `program` and writes the log of the search. Requires
// that `program` is empty. Errors: the first error of `write`; Internal if the
// repeated search is not complete.
Status WriteClassLog(const CompleteSearch& search,
                     std::unique_ptr<LinearProgram> program,
                     const WriteText& write);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_LOG_H_
