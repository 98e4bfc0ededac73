// SPDX-License-Identifier: Apache-2.0
// Places records one by one in an arena, each in the tightest gap. For
// strategies that determine the order of the records in advance. To choose the
// next record depending on the plan so far, use PlaceBottomLeft
// (bottom_left_pass.h).
//
// The place of a new record is limited only by the placed records that conflict
// with it. Among the gaps between them, the new record goes into the one in
// which it leaves the fewest bytes free, and into the lowest one in case of a
// tie. If no gap is large enough, the new record goes on top of the placed
// records that conflict with it.
//
// Source: Pisarchyk and Lee 2020, section 5.2; Sekiyama et al., "Profile-guided
// memory optimization for deep neural networks" (2018).
#ifndef STOWAGE_SRC_CONSTRUCT_BEST_FIT_H_
#define STOWAGE_SRC_CONSTRUCT_BEST_FIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage {

// A plan in which only some records are placed.
struct PartialPlan {
  // The plan has an offset for every record, but only the offsets of the
  // records in `placed` are meaningful.
  OffsetsAssignment plan;
  std::vector<uint32_t> placed;  // the records that are placed, each once
};

// Places the fixed records of the problem, and then the other records in the
// given order or in another order that results in the same plan
// (local_order.h). Requires that `order` lists every record once. O(n k) time
// and O(n) memory, where k is the number of stretches that are in use or free
// during the lifetime of one record (free_space.h). For a million records with
// short lifetimes, k is a few hundred.
OffsetsAssignment PlaceBestFit(const Problem& problem,
                               Span<const uint32_t> order);

// Makes the same plan as PlaceBestFit(problem, order), but returns nullopt if
// the total would be `limit` or more, or if `work` is exhausted before all
// records are placed. A unit of work is a visit to one stretch or placed
// record.
optional<OffsetsAssignment> PlaceBestFit(const Problem& problem,
                                         Span<const uint32_t> order,
                                         size_t limit, WorkLimit* work);

// Places the records that are not yet placed in `begun`. Requires that all
// fixed records are placed in `begun`. Returns nullopt in the same cases as the
// function with `limit` and `work` above.
optional<OffsetsAssignment> PlaceBestFit(const Problem& problem,
                                         Span<const uint32_t> order,
                                         PartialPlan begun, size_t limit,
                                         WorkLimit* work);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_BEST_FIT_H_
