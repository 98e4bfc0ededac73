// SPDX-License-Identifier: Apache-2.0
// OPTIMAL: the smallest plan there is, or the best one found within the limits.
// For its cost, and for when to use it, see README.md in this folder.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OPTIMAL_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OPTIMAL_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::optimal {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OPTIMAL_H_
