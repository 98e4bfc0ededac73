// SPDX-License-Identifier: Apache-2.0
// MICRO_FIRST_FIT works like the planner of TensorFlow Lite Micro. For its cost
// and when to use it, see README.md in this folder.
#ifndef STOWAGE_STRATEGIES_MICRO_FIRST_FIT_MICRO_FIRST_FIT_H_
#define STOWAGE_STRATEGIES_MICRO_FIRST_FIT_MICRO_FIRST_FIT_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::micro_first_fit {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::micro_first_fit

#endif  // STOWAGE_STRATEGIES_MICRO_FIRST_FIT_MICRO_FIRST_FIT_H_
