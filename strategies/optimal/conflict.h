// SPDX-License-Identifier: Apache-2.0
// Explains why a capacity does not suffice, by items that do not fit it
// together. Whether it suffices is for Portfolio (portfolio.h) to say.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONFLICT_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONFLICT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "optimal/limits.h"
#include "optimal/packing.h"
#include "optimal/search_log.h"

namespace stowage::optimal {

struct Conflict {
  Packing packing;                // the items
  std::vector<uint32_t> records;  // of the items, rising
  bool irreducible = false;       // without any one the rest fit
  // If it is irreducible, for each of `records` the levels of the others, in
  // their order, without it: within the capacity. Empty where more than
  // SearchTuning::most_exact_items had to be left out one by one, for that
  // would take too much memory.
  std::vector<std::vector<Level>> rests;
  uint64_t nodes = 0;  // searched
  // What proved that they do not fit: nothing if that was known before, or
  // takes no search.
  absl::optional<ExhaustedSearch> exhausted;
};

// Leaves out items of a packing that is known not to fit the capacity, one
// after the other, as long as the rest is proved not to fit either. Ends early,
// with more items than needed, at the limits or where a search takes too long.
// O(n^2) memory for n items, besides the searches.
Conflict FindConflict(const Packing& packing, Level capacity,
                      const Limits& limits);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONFLICT_H_
