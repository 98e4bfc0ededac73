// SPDX-License-Identifier: Apache-2.0
// Computes the lower bound of the cost that is proved by weights on cliques,
// for the check of a certificate. The search for such cliques has its own
// arithmetic (src/bounds/reuse_bound.h), which a check must not trust.
#ifndef STOWAGE_SRC_PROOF_CLIQUE_BOUND_H_
#define STOWAGE_SRC_PROOF_CLIQUE_BOUND_H_

#include <cstddef>
#include <cstdint>
#include <vector>

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

// What records need that lie in one pool in every plan, and of which no two may
// share bytes for nothing.
struct OverfullClique {
  uint64_t bytes = 0;   // of all records, each on the grid of the clique
  uint64_t room = 0;    // of the pool for them
  uint64_t shared = 0;  // the most bytes that pairs that pay can share
};

// Returns why no plan has room for these records, whatever it pays: even if
// each pair that pays shares as many bytes as it can, more bytes have to be
// shared. Requires a problem with constraints, and that the records exist and
// differ. O(n + constraints + the square of the number of records). Errors,
// which name no subject: InvalidArgument if they may have room, or if two of
// them may share bytes for nothing; ResourceExhausted if they have more than
// 2^28 pairs.
StatusOr<OverfullClique> CheckOverfull(const Problem& problem,
                                       const std::vector<size_t>& records);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_CLIQUE_BOUND_H_
