// SPDX-License-Identifier: Apache-2.0
// Finds the heaviest antichain of a partial order. An antichain is a set of
// elements none of which precedes another. The lower bound of a problem with a
// partial order is computed from the heaviest antichain; to get this bound, use
// LowerBoundOf. The antichain is computed by a flow solver, which the core does
// not contain but a program may link.
//
// Source: Dilworth, "A decomposition theorem for partially ordered sets"
// (1950). The theorem is used in its weighted form: consider all flows along
// the order that send at least the weight of each element through that element.
// The minimum value of such a flow equals the weight of the heaviest antichain.
#ifndef STOWAGE_SRC_BASE_ANTICHAIN_H_
#define STOWAGE_SRC_BASE_ANTICHAIN_H_

#include <cstdint>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage {

// The type of a solver: a function that returns an antichain of maximum weight.
// `followers[i]` lists all elements that follow element i. Requires that the
// weights sum to less than 2^62.
using AntichainSolver = std::vector<uint32_t> (*)(
    Span<const int64_t> weights, Span<const std::vector<uint32_t>> followers);

// Returns an antichain of maximum weight, in rising order, or nullopt if no
// solver is linked into the program. Thread-safe. O(n^2 sqrt(pairs)) in the
// worst case.
optional<std::vector<uint32_t>> FindHeaviestAntichain(
    Span<const int64_t> weights, Span<const std::vector<uint32_t>> followers);

// Registers a solver. A library with a solver defines a static object of this
// type, so linking the library makes FindHeaviestAntichain use its solver.
class LinkedAntichainSolver {
 public:
  explicit LinkedAntichainSolver(AntichainSolver solver);
};

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_ANTICHAIN_H_
