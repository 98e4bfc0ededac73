// SPDX-License-Identifier: Apache-2.0
// Makes the proof of a ClassSearch that branched something that others can
// replay (SearchProof, solution.h). The search itself keeps nothing for it: it
// is repeated to write the log. Proofs of offsets are in search_log.h.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CLASS_LOG_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CLASS_LOG_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "optimal/objects_kernel.h"
#include "src/core/linear_program.h"
#include "stowage/solution.h"

namespace stowage::optimal {

// What repeats a ClassSearch that was complete, and was by branching.
struct CompleteSearch {
  std::vector<ObjectItem> items;  // the model was built of, in order
  std::vector<size_t> records;    // of the items, by index
  size_t limit = 0;               // bytes: when the search began
  size_t last_limit = 0;          // bytes: when it ended
};

// The proof that the records have no shared objects below the last limit. To
// write its log takes as long as the search did, and 4 MiB beside its memory.
SearchProof MakeClassProof(CompleteSearch search);

// Writes the log of the search, repeated with an empty program. Errors: the
// first of `write`; Internal if the search was not complete this time.
absl::Status WriteClassLog(const CompleteSearch& search,
                           std::unique_ptr<LinearProgram> program,
                           const SearchProof::Write& write);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CLASS_LOG_H_
