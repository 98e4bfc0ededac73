// SPDX-License-Identifier: Apache-2.0
// Computes the Luby sequence, which is used as the lengths of restarts in
// searches with a heavy-tailed running time.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_LUBY_H_
#define STOWAGE_STRATEGIES_OPTIMAL_LUBY_H_

#include <cstdint>

namespace stowage::optimal {

// Returns 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ... for index 1, 2, 3, ...
//
// Source: Luby, Sinclair and Zuckerman, "Optimal speedup of Las Vegas
// algorithms" (1993).
inline uint64_t Luby(uint64_t index) {
  while (true) {
    uint64_t power = 1;
    while (power - 1 < index) power *= 2;
    if (power - 1 == index) return power / 2;
    index -= power / 2 - 1;
  }
}

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_LUBY_H_
