// SPDX-License-Identifier: Apache-2.0
// Finds strategies by name, and registers new strategies. Include this header
// to list all strategies, to read their descriptions (StrategyInfo), or to add
// a strategy. To make a plan, use planner.h instead: its functions accept the
// name of a strategy.
#ifndef STOWAGE_REGISTRY_H_
#define STOWAGE_REGISTRY_H_

#include <memory>
#include <vector>

#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/strategy.h"

namespace stowage {

// Registers a strategy, so that FindStrategy finds it until the program ends.
// Errors: InvalidArgument if `strategy` is null, if its name has characters
// other than lower-case letters, digits and '_', or if it supports neither
// offsets nor shared objects (StrategyInfo::features); AlreadyExists if the
// name is taken. Thread-safe.
Status RegisterStrategy(std::unique_ptr<const Strategy> strategy);

// Returns the strategy with this name. The pointer stays valid until the
// program ends. Errors: NotFound if there is no such strategy (the message
// lists the known names); AlreadyExists if two strategies with this name are
// linked into the program. Thread-safe.
StatusOr<const Strategy*> FindStrategy(string_view name);

// Returns all strategies that FindStrategy finds, sorted by name. Thread-safe.
std::vector<const Strategy*> AllStrategies();

}  // namespace stowage

#endif  // STOWAGE_REGISTRY_H_
