// SPDX-License-Identifier: Apache-2.0
// Computes a lower bound of the cost that pairs pay for sharing bytes
// (Constraints::prefer_apart), given the capacities of the pools. BoundCost
// (constrained_bound.h) adds this bound to the bounds of the other costs.
#ifndef STOWAGE_SRC_BOUNDS_REUSE_BOUND_H_
#define STOWAGE_SRC_BOUNDS_REUSE_BOUND_H_

#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// The price of a pair of records, from 0 to 2^20: an estimate of the fraction
// of its cost that the pair pays in every plan, in units of 2^-20.
struct PairPrice {
  uint32_t first = 0;
  uint32_t second = 0;
  uint32_t price = 0;
};

struct ReuseBound {
  uint64_t cost = 0;
  std::vector<CostProof> proofs;
  // The final prices of all pairs that may pay. Empty if there is no clique.
  std::vector<PairPrice> prices;
};

// Returns a lower bound of the cost that pairs of records in different groups
// pay, and the proof of this bound. Records that may be placed in several pools
// are left out. Stops when further rounds no longer seem to raise the bound,
// after `work` units, or once the signal is set; `stop` may be null. About 2^27
// units take a second. Unless the signal is set, the result depends only on
// `problem` and `work`. Requires a problem with constraints.
ReuseBound BoundReuse(const Problem& problem, uint64_t work,
                      const StopSignal* stop);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_REUSE_BOUND_H_
