// SPDX-License-Identifier: Apache-2.0
// EQUALITY reuses memory among tensors of exactly equal size. For its cost and
// when to use it, see README.md in this folder.
#ifndef STOWAGE_STRATEGIES_EQUALITY_EQUALITY_H_
#define STOWAGE_STRATEGIES_EQUALITY_EQUALITY_H_

#include <cstddef>
#include <memory>

#include "src/base/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::equality {

// Returns the assignment that EQUALITY computes, for use by other strategies.
// Returns nullopt if the signal is set before all records have an object.
// Requires sizes in bytes. For the complexity, see README.md.
optional<ObjectsAssignment<size_t>> AssignObjectsUntil(const StopSignal& stop,
                                                       const Problem& problem);

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::equality

#endif  // STOWAGE_STRATEGIES_EQUALITY_EQUALITY_H_
