// SPDX-License-Identifier: Apache-2.0
// The lower bound of shared objects that weights on records prove, for the
// check of a certificate. Searches find such weights and have their own
// arithmetic (strategies/optimal/chain_weights.h), which a check must not
// trust.
#ifndef STOWAGE_SRC_CERTIFICATE_CHAIN_BOUND_H_
#define STOWAGE_SRC_CERTIFICATE_CHAIN_BOUND_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/profile.h"
#include "stowage/solution.h"

namespace stowage::certificate {

// Bytes: no set of shared objects for `records` is smaller. Requires indices in
// `weights` that rise and are below the number of records. Errors, none with a
// subject:
//   InvalidArgument    a weight or the scale is 0, a chain weighs more than its
//                      size allows, or a sum or a product overflows 64 bits
//   ResourceExhausted  the weights times their sizes are more than 2^30
// O(w s) for w weights on records of s sizes.
absl::StatusOr<size_t> BoundOfChainWeights(absl::Span<const ByteRecord> records,
                                           const ChainWeights& weights);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_CERTIFICATE_CHAIN_BOUND_H_
