// SPDX-License-Identifier: Apache-2.0
// EQUALITY: reuse among tensors of exactly equal size.
// For what it costs and when it wins, see README.md beside this file.
#ifndef STOWAGE_STRATEGIES_EQUALITY_EQUALITY_H_
#define STOWAGE_STRATEGIES_EQUALITY_EQUALITY_H_

#include <cstddef>
#include <memory>

#include "absl/types/optional.h"
#include "src/core/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::equality {

// The objects of the strategy, for others that build on it, or nothing if the
// signal is set before they are done. Requires sizes in bytes. Complexity:
// README.md.
absl::optional<ObjectsAssignment<size_t>> AssignObjectsUntil(
    const StopSignal& stop, const Problem& problem);

std::unique_ptr<const Strategy> Create();

}  // namespace stowage::equality

#endif  // STOWAGE_STRATEGIES_EQUALITY_EQUALITY_H_
