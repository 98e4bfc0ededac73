// SPDX-License-Identifier: Apache-2.0
// MINCOSTFLOW decides which memory each record reuses with a single
// minimum-cost flow over all records. For its cost and when to use it, see
// README.md in this folder.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_MINCOSTFLOW_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_MINCOSTFLOW_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::mincostflow {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_MINCOSTFLOW_H_
