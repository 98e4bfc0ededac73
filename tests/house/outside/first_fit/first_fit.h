// SPDX-License-Identifier: Apache-2.0
// Defines FIRST_FIT, which places the records one by one in their order, each
// at the lowest free offset. It is a strategy from outside the project. The
// README.md in this folder explains when to use it.
#ifndef STOWAGE_STRATEGIES_FIRST_FIT_FIRST_FIT_H_
#define STOWAGE_STRATEGIES_FIRST_FIT_FIRST_FIT_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::first_fit {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::first_fit

#endif  // STOWAGE_STRATEGIES_FIRST_FIT_FIRST_FIT_H_
