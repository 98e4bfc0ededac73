// SPDX-License-Identifier: Apache-2.0
// GREEDY_BEST returns the smallest of the plans of other greedy strategies. For
// its cost and when to use it, see README.md in this folder.
#ifndef STOWAGE_STRATEGIES_GREEDY_BEST_GREEDY_BEST_H_
#define STOWAGE_STRATEGIES_GREEDY_BEST_GREEDY_BEST_H_

#include <cstddef>
#include <memory>

#include "stowage/assignment.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::greedy_best {

// Returns the plan that GREEDY_BEST computes, for use by other strategies.
// Requires sizes in bytes. Error: OutOfRange if the total exceeds 2^64 - 1.
StatusOr<ObjectsAssignment<size_t>> AssignObjects(const Problem& problem);

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::greedy_best

#endif  // STOWAGE_STRATEGIES_GREEDY_BEST_GREEDY_BEST_H_
