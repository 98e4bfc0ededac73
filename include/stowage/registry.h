// SPDX-License-Identifier: Apache-2.0
// Finds strategies by their names, and registers new ones. Include this header
// to list all strategies, to read their descriptions (StrategyInfo), or to add
// a strategy. To make a plan, use planner.h instead: its functions accept the
// name of a strategy and look it up themselves.
#ifndef STOWAGE_REGISTRY_H_
#define STOWAGE_REGISTRY_H_

#include <memory>
#include <vector>

#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/strategy.h"

namespace stowage {

// Adds a strategy to those that FindStrategy knows, for the life of the
// program. Errors: InvalidArgument for null, for a name with characters other
// than lower-case letters, digits and '_', and for a strategy that supports
// neither offsets nor shared objects (StrategyInfo::features); AlreadyExists
// for a name that is taken. Thread-safe.
Status RegisterStrategy(std::unique_ptr<const Strategy> strategy);

// Returns the strategy of that name. The pointer stays valid until the program
// ends. Errors: NotFound if there is no such strategy (the message lists the
// known names); AlreadyExists if two strategies that are linked into the
// program have that name. Thread-safe.
StatusOr<const Strategy*> FindStrategy(string_view name);

// Returns all strategies that FindStrategy finds, sorted by name. Thread-safe.
std::vector<const Strategy*> AllStrategies();

}  // namespace stowage

#endif  // STOWAGE_REGISTRY_H_
