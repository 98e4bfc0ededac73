// SPDX-License-Identifier: Apache-2.0
// What it costs at least that records leave a pool which cannot hold them all:
// for the bound of the cost of a problem with pools. An exact choice of what
// leaves is in pool_selection.h.
#ifndef STOWAGE_BODIES_SPILL_BOUND_H_
#define STOWAGE_BODIES_SPILL_BOUND_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/core/work_limit.h"

namespace stowage::bodies {

// What is in the pool unless it leaves.
struct Lodger {
  uint32_t begin = 0;  // steps, half-open
  uint32_t end = 0;
  uint64_t bytes = 0;             // live at each of them
  absl::optional<uint64_t> cost;  // of leaving; none for what has to stay
};

// The least cost, rounded up, of bringing the pool down to its capacity at
// every step if each lodger may also leave in part: never above what whole ones
// cost. The capacity flows from the first step to the last, past the lodgers,
// which pay for each of their bytes that it carries; the maximum is found by
// shortest augmenting paths (Ahuja, Magnanti and Orlin, "Network Flows", 1993,
// section 9.7), in integers. If the work ends before, less than that; 0 where
// what has to stay does not fit, and for more lodgers or bytes than integers of
// 64 bits can hold. A unit of work is a look at an arc. O(n) arcs for each of
// O(n) paths.
uint64_t BoundSpill(absl::Span<const Lodger> lodgers, uint64_t capacity,
                    WorkLimit* work);

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_SPILL_BOUND_H_
