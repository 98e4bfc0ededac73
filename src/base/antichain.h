// SPDX-License-Identifier: Apache-2.0
// Finds the heaviest antichain: a set of elements none of which precedes
// another one. The lower bound under a partial order is computed from the
// heaviest antichain; to get this bound, use LowerBoundOf. A flow solver
// computes the antichain. The core itself does not contain such a solver, but a
// program may link one.
//
// Source: Dilworth, "A decomposition theorem for partially ordered sets"
// (1950). The theorem is used with weights. Consider the flows along the order
// that carry through each element at least the weight of that element. The
// least of these flows equals the weight of the heaviest antichain.
#ifndef STOWAGE_SRC_BASE_ANTICHAIN_H_
#define STOWAGE_SRC_BASE_ANTICHAIN_H_

#include <cstdint>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage {

// The type of a solver: a function that returns an antichain of the greatest
// weight. `followers[i]` lists all elements that follow element i. Requires
// that the weights sum to less than 2^62.
using AntichainSolver = std::vector<uint32_t> (*)(
    Span<const int64_t> weights, Span<const std::vector<uint32_t>> followers);

// Returns an antichain of the greatest weight, in rising order. Returns nothing
// if the program is not linked with a solver. Thread-safe. O(n^2 sqrt(pairs))
// in the worst case.
optional<std::vector<uint32_t>> FindHeaviestAntichain(
    Span<const int64_t> weights, Span<const std::vector<uint32_t>> followers);

// Links a solver into the program. A library that contains a solver defines a
// static object of this type.
class LinkedAntichainSolver {
 public:
  explicit LinkedAntichainSolver(AntichainSolver solver);
};

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_ANTICHAIN_H_
