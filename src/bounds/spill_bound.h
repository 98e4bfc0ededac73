// SPDX-License-Identifier: Apache-2.0
// Computes a lower bound of the cost of moving records out of a pool that
// cannot hold all of them, for BoundPoolCost (bound_pool_cost.h). To select the
// records that leave, use SelectPools (pool_selection.h).
#ifndef STOWAGE_SRC_BOUNDS_SPILL_BOUND_H_
#define STOWAGE_SRC_BOUNDS_SPILL_BOUND_H_

#include <cstdint>

#include "src/base/work_limit.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {

// A spill candidate: a record or rigid group that is in the pool unless it is
// moved to another pool.
struct SpillCandidate {
  uint32_t begin = 0;  // steps, half-open
  uint32_t end = 0;
  uint64_t bytes = 0;       // at each step
  optional<uint64_t> cost;  // cost of leaving; none if it must stay
};

// Returns a lower bound of the cost of bringing the pool down to its capacity
// at every step. The bound is the minimum cost under the assumption that a part
// of a candidate may leave, rounded up. If only whole candidates may leave, the
// minimum cost is the same or higher.
//
// The bytes that stay in the pool are a flow of `capacity` bytes from the first
// step to the last step. Each candidate is an arc from its first step to its
// end. Each byte that the arc carries stays in the pool and saves its share of
// the cost. A flow that saves the most is found by shortest augmenting paths
// (Ahuja, Magnanti and Orlin, "Network Flows", 1993, section 9.7), in integers.
//
// If `work` ends first, returns a smaller bound; a unit of work is a visit to
// an arc. Returns 0 if the candidates that must stay do not fit, or if there
// are more candidates or bytes than 64-bit integers can handle. O(n) arcs for
// each of O(n) paths.
uint64_t BoundSpill(Span<const SpillCandidate> candidates, uint64_t capacity,
                    WorkLimit* work);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_SPILL_BOUND_H_
