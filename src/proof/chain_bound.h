// SPDX-License-Identifier: Apache-2.0
// Computes a lower bound on the size of shared objects from weights on records,
// in order to check a certificate. The searches that find the weights use their
// own arithmetic (strategies/optimal/objects/chain_weights.h), which a check
// must not trust.
#ifndef STOWAGE_SRC_PROOF_CHAIN_BOUND_H_
#define STOWAGE_SRC_PROOF_CHAIN_BOUND_H_

#include <cstddef>

#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/profile.h"
#include "stowage/solution.h"

namespace stowage::certificate {

// Returns a number of bytes that is a lower bound on the total size of the
// shared objects of `records`. Requires that the indices in `weights` rise and
// are below the number of records. O(w s) for w weights on records of s
// distinct sizes. Errors, with messages that do not name their subject:
//   InvalidArgument    a weight or the scale is 0, a chain weighs more than its
//                      size allows, or a sum or a product overflows 64 bits
//   ResourceExhausted  the number of weights times the number of distinct sizes
//                      of their records is more than 2^30
StatusOr<size_t> BoundOfChainWeights(Span<const ByteRecord> records,
                                     const ChainWeights& weights);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_CHAIN_BOUND_H_
