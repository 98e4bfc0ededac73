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
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage {

// A plan of some records only.
struct PartialPlan {
  OffsetsAssignment plan;        // offsets of all records, the others of no use
  std::vector<uint32_t> placed;  // those that have one, each once
};

// Places the fixed records of the problem and then the others in the given
// order, which has every record once, or in one that makes the same plan
// (local_order.h). O(n k) time for k stretches in use or
// free beside a record (free_space.h), some hundred at a million records of
// short lifetimes; O(n) memory.
OffsetsAssignment PlaceBestFit(const Problem& problem,
                               absl::Span<const uint32_t> order);

// The same, or nothing if the plan would not end below `limit` or `work` ends
// before. A unit of work is a stretch passed.
absl::optional<OffsetsAssignment> PlaceBestFit(const Problem& problem,
                                               absl::Span<const uint32_t> order,
                                               size_t limit, WorkLimit* work);

// The same around what is placed already, the fixed records among it.
absl::optional<OffsetsAssignment> PlaceBestFit(const Problem& problem,
                                               absl::Span<const uint32_t> order,
                                               PartialPlan begun, size_t limit,
                                               WorkLimit* work);

}  // namespace stowage

#endif  // STOWAGE_CORE_BEST_FIT_H_
