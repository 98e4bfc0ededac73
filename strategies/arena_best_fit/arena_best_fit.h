// SPDX-License-Identifier: Apache-2.0
// ARENA_BEST_FIT places tensors by the best-fit rule of TensorFlow Lite's CPU
// arena. For its cost and when to use it, see README.md in this folder.
#ifndef STOWAGE_STRATEGIES_ARENA_BEST_FIT_ARENA_BEST_FIT_H_
#define STOWAGE_STRATEGIES_ARENA_BEST_FIT_ARENA_BEST_FIT_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::arena_best_fit {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::arena_best_fit

#endif  // STOWAGE_STRATEGIES_ARENA_BEST_FIT_ARENA_BEST_FIT_H_
