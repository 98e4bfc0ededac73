// SPDX-License-Identifier: Apache-2.0
// Computes a lower bound of the cost that pairs pay for sharing bytes
// (Constraints::prefer_apart) within the capacities of the pools. BoundCost
// (constrained_bound.h) adds this bound to the other costs.
#ifndef STOWAGE_SRC_BOUNDS_REUSE_BOUND_H_
#define STOWAGE_SRC_BOUNDS_REUSE_BOUND_H_

#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// The price of a pair of records, from 0 to 2^20: the part of its cost that the
// pair seems to pay in every plan.
struct PairPrice {
  uint32_t first = 0;
  uint32_t second = 0;
  uint32_t price = 0;
};

struct ReuseBound {
  uint64_t cost = 0;
  std::vector<CostProof> proofs;
  // The last prices of all pairs that may pay. The list is empty if there is no
  // clique.
  std::vector<PairPrice> prices;
};

// Returns a lower bound of the cost that the pairs of different groups pay, and
// the proof of this bound. Records that may go to several pools are left out.
// Ends when the bound seems to rise no more, after `work` units, or once the
// signal is set; `stop` may be null. About 2^27 units take a second. Unless the
// signal is set, the result depends only on `problem` and `work`. The problem
// must have constraints.
ReuseBound BoundReuse(const Problem& problem, uint64_t work,
                      const StopSignal* stop);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_REUSE_BOUND_H_
