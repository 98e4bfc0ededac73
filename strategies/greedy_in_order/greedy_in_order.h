// SPDX-License-Identifier: Apache-2.0
// GREEDY_IN_ORDER: in execution order, reuse the free object of closest size.
// For what it costs and when it wins, see README.md beside this file.
#ifndef STOWAGE_STRATEGIES_GREEDY_IN_ORDER_GREEDY_IN_ORDER_H_
#define STOWAGE_STRATEGIES_GREEDY_IN_ORDER_GREEDY_IN_ORDER_H_

#include <cstddef>
#include <memory>

#include "absl/types/optional.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::greedy_in_order {

// The plan of the strategy, for others that build on it. Requires sizes in
// bytes. Complexity: README.md.
ObjectsAssignment<size_t> AssignObjects(const Problem& problem);

// The objects as above, or nothing if the signal is set before they are done.
absl::optional<ObjectsAssignment<size_t>> AssignObjectsUntil(
    const StopSignal& stop, const Problem& problem);

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::greedy_in_order

#endif  // STOWAGE_STRATEGIES_GREEDY_IN_ORDER_GREEDY_IN_ORDER_H_
