// SPDX-License-Identifier: Apache-2.0
// Computes the lower bound that follows from the room that fixed records leave
// free, for the check of a certificate. Searches have their own arithmetic for
// this bound (strategies/optimal/exact/packing.h), which a check must not
// trust. LowerBoundOf takes less time, but its bound may be lower.
#ifndef STOWAGE_SRC_PROOF_FIXED_ROOM_H_
#define STOWAGE_SRC_PROOF_FIXED_ROOM_H_

#include <cstddef>

#include "stowage/base/optional.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Returns a number of bytes such that no plan is smaller, or nothing if the
// computation would take too much work. The bound follows from two facts. Every
// record that is not fixed must avoid the fixed records with which it is live.
// At every task, the live bytes that are not fixed must lie below, between and
// above the fixed bytes. Requires a problem of offsets. O((n + tasks) * fixed).
optional<size_t> BoundOfFixedRoom(const Problem& problem);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_FIXED_ROOM_H_
