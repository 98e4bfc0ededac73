// SPDX-License-Identifier: Apache-2.0
// GREEDY_BY_SIZE places the largest tensors first. For its cost and when to use
// it, see README.md in this folder.
#ifndef STOWAGE_STRATEGIES_GREEDY_BY_SIZE_GREEDY_BY_SIZE_H_
#define STOWAGE_STRATEGIES_GREEDY_BY_SIZE_GREEDY_BY_SIZE_H_

#include <cstddef>
#include <memory>

#include "src/base/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::greedy_by_size {

// Return the plans that GREEDY_BY_SIZE computes, for use by other strategies.
// Require sizes in bytes. For the complexity, see README.md.
ObjectsAssignment<size_t> AssignObjects(const Problem& problem);
OffsetsAssignment AssignOffsets(const Problem& problem);

// Returns the same as AssignObjects, or nullopt if the signal stops the work.
optional<ObjectsAssignment<size_t>> AssignObjectsUntil(const StopSignal& stop,
                                                       const Problem& problem);

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::greedy_by_size

#endif  // STOWAGE_STRATEGIES_GREEDY_BY_SIZE_GREEDY_BY_SIZE_H_
