// SPDX-License-Identifier: Apache-2.0
// Computes a lower bound on the cost of a plan from weights on cliques, in
// order to check a certificate. The search for these cliques uses its own
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

// Returns a lower bound on the cost of every plan of the problem. The bound is
// the sum of the cost that the proofs show, the costs of the cheapest pools,
// and the costs of pairs that share bytes within a group. Without pools, the
// bound holds only for plans within the capacity of the problem. Requires a
// problem with constraints, and cliques that list existing records in rising
// order. O(n + constraints + sum of c^2 over all cliques of c records). Errors,
// with messages that do not name their subject:
//   InvalidArgument    a clique or the loads of a proof are wrong; the message
//                      names the proof, the clique and the records
//   ResourceExhausted  the cliques have more than 2^28 pairs
StatusOr<uint64_t> BoundOfCliques(const Problem& problem,
                                  Span<const CostProof> proofs);

// Records that need more bytes than their pool has. In every plan, the records
// are in this pool, and no two of them may share bytes without a cost.
struct OverfullClique {
  uint64_t bytes = 0;   // the sum of the sizes, each rounded up to the grid
  uint64_t room = 0;    // the bytes that the pool has for the records
  uint64_t shared = 0;  // the most that paying pairs can share
};

// Checks that no plan has room for these records at any cost: even if each pair
// that may share bytes at a cost shares as many bytes as possible, the records
// need more room than their pool has. Returns the numbers that prove this.
// Requires a problem with constraints, and distinct indices of existing
// records. O(n + constraints + the square of the number of records). Errors,
// with messages that do not name their subject: InvalidArgument if the records
// may have room, or if two of them may share bytes without a cost;
// ResourceExhausted if the records have more than 2^28 pairs.
StatusOr<OverfullClique> CheckOverfull(const Problem& problem,
                                       const std::vector<size_t>& records);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_CLIQUE_BOUND_H_
