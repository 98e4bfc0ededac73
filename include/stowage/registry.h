// SPDX-License-Identifier: Apache-2.0
// The registry of strategies, which finds one by name. Solve and the classic
// functions (planner.h) take names and ask it themselves; include this header
// to list what there is, to read what a strategy says of itself, or to add one.
#ifndef STOWAGE_REGISTRY_H_
#define STOWAGE_REGISTRY_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/strategy.h"

namespace stowage {

// Adds a strategy to those that FindStrategy knows, for the life of the
// program. Errors: InvalidArgument for null, for a name that has other
// characters than lower-case letters, digits and '_', and for a strategy that
// lists neither kind of plan; AlreadyExists for a name that is taken.
// Thread-safe.
absl::Status RegisterStrategy(std::unique_ptr<const Strategy> strategy);

// Returns the strategy of that name. The pointer stays valid. Error: NotFound,
// listing the known names. Thread-safe.
absl::StatusOr<const Strategy*> FindStrategy(absl::string_view name);

// Returns all strategies, sorted by name. Thread-safe.
std::vector<const Strategy*> AllStrategies();

}  // namespace stowage

#endif  // STOWAGE_REGISTRY_H_
