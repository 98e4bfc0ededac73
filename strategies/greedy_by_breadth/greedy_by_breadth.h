// SPDX-License-Identifier: Apache-2.0
// GREEDY_BY_BREADTH: the tasks with most bytes live come first.
// For what it costs and when it wins, see README.md beside this file.
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_BREADTH_GREEDY_BY_BREADTH_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_BREADTH_GREEDY_BY_BREADTH_H_

#include <cstddef>
#include <memory>

#include "absl/types/optional.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::greedy_by_breadth {

// The plans of the strategy, for others that build on it. Requires sizes in
// bytes. Complexity: README.md.
ObjectsAssignment<size_t> AssignObjects(const Problem& problem);
OffsetsAssignment AssignOffsets(const Problem& problem);

// The objects as above, or nothing if the signal is set before they are done.
absl::optional<ObjectsAssignment<size_t>> AssignObjectsUntil(
    const StopSignal& stop, const Problem& problem);

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::greedy_by_breadth

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_BREADTH_GREEDY_BY_BREADTH_H_
