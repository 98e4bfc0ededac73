// SPDX-License-Identifier: Apache-2.0
// EQUALITY: reuse among tensors of exactly equal size.
// For what it costs and when it wins, see README.md beside this file.
#ifndef STOWAGE_STRATEGIES_EQUALITY_EQUALITY_H_
#define STOWAGE_STRATEGIES_EQUALITY_EQUALITY_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::equality {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::equality

#endif  // STOWAGE_STRATEGIES_EQUALITY_EQUALITY_H_
