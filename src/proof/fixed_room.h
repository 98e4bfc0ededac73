// SPDX-License-Identifier: Apache-2.0
// Computes the lower bound that follows from the room that fixed records leave
// free, for the check of a certificate. Searches have their own arithmetic for
// it (strategies/optimal/exact/packing.h), which a check must not trust.
// LowerBoundOf takes less time, but its bound may be lower.
#ifndef STOWAGE_SRC_PROOF_FIXED_ROOM_H_
#define STOWAGE_SRC_PROOF_FIXED_ROOM_H_

#include <cstddef>

#include "absl/types/optional.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Returns a number of bytes such that no plan is smaller; nothing if that would
// take too much work. The bound holds because every record that is not fixed
// lies around the fixed records that are live together with it, and because the
// bytes of a task that are not fixed lie below, between and above those that
// are fixed. Requires a problem of offsets. O((n + tasks) * fixed).
absl::optional<size_t> BoundOfFixedRoom(const Problem& problem);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_FIXED_ROOM_H_
