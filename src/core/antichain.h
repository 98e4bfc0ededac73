// SPDX-License-Identifier: Apache-2.0
// The heaviest set of elements none of which precedes another: what a lower
// bound under a partial order asks of a flow solver that the core does without.
// For the bound itself use Problem::lower_bound.
//
// Source: Dilworth, "A decomposition theorem for partially ordered sets"
// (1950), with weights: the heaviest antichain weighs what the least flow does
// that covers each element by its weight.
#ifndef STOWAGE_CORE_ANTICHAIN_H_
#define STOWAGE_CORE_ANTICHAIN_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace stowage {

// `followers[i]` lists all elements that follow element i. The weights sum to
// less than 2^62.
using AntichainSolver = std::vector<uint32_t> (*)(
    absl::Span<const int64_t> weights,
    absl::Span<const std::vector<uint32_t>> followers);

// An antichain of the greatest weight, rising; nothing if the program links no
// library with a solver. Thread-safe. O(n^2 sqrt(pairs)) at worst.
absl::optional<std::vector<uint32_t>> FindHeaviestAntichain(
    absl::Span<const int64_t> weights,
    absl::Span<const std::vector<uint32_t>> followers);

// To be a static object of a library with a solver.
class LinkedAntichainSolver {
 public:
  explicit LinkedAntichainSolver(AntichainSolver solver);
};

}  // namespace stowage

#endif  // STOWAGE_CORE_ANTICHAIN_H_
