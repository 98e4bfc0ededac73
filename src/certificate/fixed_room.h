// SPDX-License-Identifier: Apache-2.0
// The lower bound that follows from the room that fixed records leave, for the
// check of a certificate. Searches have their own
// (strategies/optimal/packing.h), which a check must not trust.
// Problem::lower_bound is weaker, and cheaper.
#ifndef STOWAGE_SRC_CERTIFICATE_FIXED_ROOM_H_
#define STOWAGE_SRC_CERTIFICATE_FIXED_ROOM_H_

#include <cstddef>

#include "absl/types/optional.h"
#include "stowage/problem.h"

namespace stowage::certificate {

// Bytes: no plan is smaller. Every record that is not fixed lies around the
// fixed ones that are live with it, and what is not fixed at a task lies below,
// between and above what is. Nothing if that is too much to look at. Requires a
// problem of offsets. O((n + tasks) * fixed).
absl::optional<size_t> BoundOfFixedRoom(const Problem& problem);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_CERTIFICATE_FIXED_ROOM_H_
