// SPDX-License-Identifier: Apache-2.0
// Computes a lower bound of the cost of moving records out of a pool that
// cannot hold all of them: a part of the bound of the cost of a problem with
// pools. To select exactly which records leave, use pool_selection.h.
#ifndef STOWAGE_SRC_BOUNDS_SPILL_BOUND_H_
#define STOWAGE_SRC_BOUNDS_SPILL_BOUND_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/base/work_limit.h"

namespace stowage::bodies {

// A spill candidate: a record, or rigid group, that is in the pool unless it
// leaves.
struct SpillCandidate {
  uint32_t begin = 0;  // steps, half-open
  uint32_t end = 0;
  uint64_t bytes = 0;             // live at each step
  absl::optional<uint64_t> cost;  // cost of leaving; none if it must stay
};

// Returns the least cost, rounded up, of bringing the pool down to its capacity
// at every step if each candidate may also leave in part; this is never above
// the cost of leaving as a whole. The capacity is a flow from the first step to
// the last: each candidate is an arc past its steps that pays for every byte it
// carries, and the maximum is found by shortest augmenting paths (Ahuja,
// Magnanti and Orlin, "Network Flows", 1993, section 9.7), in integers. If
// `work` ends first, returns a smaller bound; a unit of work is a visit of an
// arc. Returns 0 if the candidates that must stay do not fit, or if there are
// more candidates or bytes than 64-bit integers can handle. O(n) arcs for each
// of O(n) paths.
uint64_t BoundSpill(absl::Span<const SpillCandidate> candidates,
                    uint64_t capacity, WorkLimit* work);

}  // namespace stowage::bodies

#endif  // STOWAGE_SRC_BOUNDS_SPILL_BOUND_H_
