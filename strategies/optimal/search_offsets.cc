// SPDX-License-Identifier: Apache-2.0
#include "optimal/search_offsets.h"

#include "optimal/offsets_search.h"

namespace stowage::optimal {

Solution SearchOffsets(const Problem& problem, const SolveOptions& options) {
  return OffsetsSearch(problem, options).Run();
}

}  // namespace stowage::optimal
