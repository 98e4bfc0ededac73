// SPDX-License-Identifier: Apache-2.0
// Computes the lower bound that follows from the space between fixed records,
// in order to check a certificate. Searches use their own arithmetic for this
// bound (strategies/optimal/exact/packing.h), which a check must not trust.
// LowerBoundOf is faster, but its bound may be lower.
#ifndef STOWAGE_SRC_PROOF_FIXED_ROOM_H_
#define STOWAGE_SRC_PROOF_FIXED_ROOM_H_

#include <cstddef>

#include "stowage/base/optional.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Returns a lower bound on the size of every plan in bytes, or nothing if the
// computation would take too long. The bound follows from two facts:
// - Every record that is not fixed must avoid the fixed records that are live
//   at the same time.
// - At every task, the live bytes that are not fixed must be placed below,
//   between and above the fixed bytes.
//
// Requires a problem of offsets. O((n + tasks) * fixed).
optional<size_t> BoundOfFixedRoom(const Problem& problem);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_FIXED_ROOM_H_
