// SPDX-License-Identifier: Apache-2.0
// NAIVE gives every tensor memory of its own. For its cost and when to use it,
// see README.md in this folder.
#ifndef STOWAGE_STRATEGIES_NAIVE_NAIVE_H_
#define STOWAGE_STRATEGIES_NAIVE_NAIVE_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::naive {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::naive

#endif  // STOWAGE_STRATEGIES_NAIVE_NAIVE_H_
