// SPDX-License-Identifier: Apache-2.0
// MINCOSTFLOW: reuse chosen by one minimum-cost flow over all records. For what
// it costs and when it is the right choice, see README.md beside this file.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_MINCOSTFLOW_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_MINCOSTFLOW_H_

#include <memory>

#include "stowage/strategy.h"

namespace stowage::mincostflow {

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_MINCOSTFLOW_H_
