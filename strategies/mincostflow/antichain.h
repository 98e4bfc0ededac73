// SPDX-License-Identifier: Apache-2.0
// Finds the heaviest antichain with a maximum flow. The bounds under a partial
// order call this function through src/base/antichain.h.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_ANTICHAIN_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_ANTICHAIN_H_

#include <cstdint>
#include <vector>

#include "stowage/base/span.h"

namespace stowage::mincostflow {

// Implements AntichainSolver (src/base/antichain.h).
std::vector<uint32_t> FindAntichainByFlow(
    Span<const int64_t> weights, Span<const std::vector<uint32_t>> followers);

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_ANTICHAIN_H_
