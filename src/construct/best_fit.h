// SPDX-License-Identifier: Apache-2.0
// Places records one by one in an arena, each in the tightest gap, for
// strategies that determine the order themselves. A strategy that lets the
// placed records determine the order uses DiveInSkyline (skyline_dive.h).
//
// Only the placed records that conflict with the new one count, in order of
// offset. Among the gaps between them the one that leaves the least room is
// chosen, the lowest on ties. If no gap is large enough the record goes on top
// of them.
//
// Source: Pisarchyk and Lee 2020, section 5.2; Sekiyama et al., "Profile-guided
// memory optimization for deep neural networks" (2018).
#ifndef STOWAGE_SRC_CONSTRUCT_BEST_FIT_H_
#define STOWAGE_SRC_CONSTRUCT_BEST_FIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/base/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage {

// A plan in which only some records are placed.
struct PartialPlan {
  OffsetsAssignment plan;        // of all records; meaningful for `placed` only
  std::vector<uint32_t> placed;  // the records that are placed, each once
};

// Places the fixed records of the problem and then the others in the given
// order, which lists every record once, or in another order that makes the same
// plan (local_order.h). O(n k) time for k stretches in use or free beside a
// record (free_space.h), some hundred for a million records of short lifetimes;
// O(n) memory.
OffsetsAssignment PlaceBestFit(const Problem& problem,
                               absl::Span<const uint32_t> order);

// Does the same, or returns nothing if the plan would not end below `limit` or
// if `work` is exhausted before. A unit of work is a stretch passed.
absl::optional<OffsetsAssignment> PlaceBestFit(const Problem& problem,
                                               absl::Span<const uint32_t> order,
                                               size_t limit, WorkLimit* work);

// Does the same, but begins with a plan in which some records are placed
// already. These must include the fixed records.
absl::optional<OffsetsAssignment> PlaceBestFit(const Problem& problem,
                                               absl::Span<const uint32_t> order,
                                               PartialPlan begun, size_t limit,
                                               WorkLimit* work);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_BEST_FIT_H_
