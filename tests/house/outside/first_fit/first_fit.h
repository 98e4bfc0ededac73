// SPDX-License-Identifier: Apache-2.0
// FIRST_FIT: the lowest free place, in order of the records. A strategy from
// outside the tree; README.md beside this file says what it is good for.
#ifndef STOWAGE_STRATEGIES_FIRST_FIT_FIRST_FIT_H_
#define STOWAGE_STRATEGIES_FIRST_FIT_FIRST_FIT_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::first_fit {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::first_fit

#endif  // STOWAGE_STRATEGIES_FIRST_FIT_FIRST_FIT_H_
