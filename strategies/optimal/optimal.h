// SPDX-License-Identifier: Apache-2.0
// OPTIMAL finds the smallest plan, or the best plan that it can find within the
// limits. For its cost and when to use it, see README.md in this folder.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OPTIMAL_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OPTIMAL_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::optimal {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OPTIMAL_H_
