// SPDX-License-Identifier: Apache-2.0
// Places records one by one in an arena, each into the tightest gap: for
// strategies with an order of their own. Those that may choose the order by
// what is placed use DiveInSkyline (skyline_dive.h).
//
// Among the records placed already that conflict with the new one, in order of
// offset, the gap that leaves the least room is chosen, the lowest on ties;
// without a gap that is large enough the record goes on top of them.
//
// Source: Pisarchyk and Lee 2020, section 5.2; Sekiyama et al., "Profile-guided
// memory optimization for deep neural networks" (2018).
#ifndef STOWAGE_CORE_BEST_FIT_H_
#define STOWAGE_CORE_BEST_FIT_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/profile.h"

namespace stowage {

// Places the fixed records of the problem and then the others in the given
// order, which has every record once. O((n + c) log n) time for c pairs of
// records that conflict, and never more than O(n^2); O(n) memory.
OffsetsAssignment PlaceBestFit(const Problem& problem,
                               absl::Span<const size_t> order);

// All records by size descending, then by index: the order of GREEDY_BY_SIZE.
// O(n log n).
std::vector<size_t> LargestFirst(absl::Span<const ByteRecord> records);

}  // namespace stowage

#endif  // STOWAGE_CORE_BEST_FIT_H_
