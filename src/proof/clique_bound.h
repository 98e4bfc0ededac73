// SPDX-License-Identifier: Apache-2.0
// Computes the lower bound of the cost that is proved by weights on cliques,
// for the check of a certificate. The search for such cliques has its own
// arithmetic (src/bounds/reuse_bound.h), which a check must not trust.
#ifndef STOWAGE_SRC_PROOF_CLIQUE_BOUND_H_
#define STOWAGE_SRC_PROOF_CLIQUE_BOUND_H_

#include <cstdint>

#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::certificate {

// Returns a number that no plan of the problem costs less than. It is the sum
// of the cost that the proofs show, the costs of the cheapest pools, and the
// costs of pairs that share bytes in their group. Without pools, the bound
// holds for plans within the capacity of the problem. Requires a problem with
// constraints, and that the records of each clique rise and exist. O(n +
// constraints + the sum of the squares of the sizes of all cliques). Errors,
// none of which names a subject:
//   InvalidArgument    a clique or the loads of a proof are wrong; names the
//                      proof, the clique and the records
//   ResourceExhausted  the cliques have more than 2^28 pairs
StatusOr<uint64_t> BoundOfCliques(const Problem& problem,
                                  Span<const CostProof> proofs);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_CLIQUE_BOUND_H_
