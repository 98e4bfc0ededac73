// SPDX-License-Identifier: Apache-2.0
// Explains why a capacity is not sufficient: finds items that do not fit the
// capacity together. To decide whether a capacity is sufficient, use Portfolio
// (portfolio.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EXACT_CONFLICT_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EXACT_CONFLICT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/exact/search_log.h"
#include "optimal/limits.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {

// A set of items that do not fit the capacity together.
struct Conflict {
  Packing packing;                // the items
  std::vector<uint32_t> records;  // the records of the items, in rising order
  bool irreducible = false;       // says whether any n - 1 of the n items fit
  // The witnesses of irreducibility. If `irreducible` is true, there is one
  // witness for each of `records`: a packing of all other items that fits the
  // capacity, given by the levels of these items in their order. Empty if more
  // than SearchTuning::max_exact_items items had to be tested one by one, since
  // the witnesses would take too much memory.
  std::vector<std::vector<Level>> witnesses;
  uint64_t nodes = 0;  // the sum over all searches
  // The search that proved that the items do not fit. Not set if this was
  // already known, or if the proof needs no search.
  optional<ExhaustedSearch> exhausted;
};

// Finds a small conflict within a packing that is known not to fit the
// capacity. Removes items for as long as the remaining items are proved not to
// fit. Stops early, with more items than necessary, if the limits are reached
// or if a search takes too long. O(n^2) memory for n items, in addition to the
// memory of the searches.
Conflict FindConflict(const Packing& packing, Level capacity,
                      const Limits& limits);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EXACT_CONFLICT_H_
