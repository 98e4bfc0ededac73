// SPDX-License-Identifier: Apache-2.0
// GREEDY_IN_ORDER visits tensors in execution order and reuses the free object
// of the closest size. For its cost and when to use it, see README.md in this
// folder.
#ifndef STOWAGE_STRATEGIES_GREEDY_IN_ORDER_GREEDY_IN_ORDER_H_
#define STOWAGE_STRATEGIES_GREEDY_IN_ORDER_GREEDY_IN_ORDER_H_

#include <cstddef>
#include <memory>

#include "src/base/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::greedy_in_order {

// Returns the plan that GREEDY_IN_ORDER computes, for use by other strategies.
// Requires sizes in bytes. For the complexity, see README.md.
ObjectsAssignment<size_t> AssignObjects(const Problem& problem);

// Returns the same as AssignObjects, or nullopt if the signal stops the work.
optional<ObjectsAssignment<size_t>> AssignObjectsUntil(const StopSignal& stop,
                                                       const Problem& problem);

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::greedy_in_order

#endif  // STOWAGE_STRATEGIES_GREEDY_IN_ORDER_GREEDY_IN_ORDER_H_
