// SPDX-License-Identifier: Apache-2.0
// Lists the strategies that are part of the core. Every folder under
// strategies/ and every folder named in STOWAGE_EXTRA_STRATEGIES contains one
// strategy. Strategies in separate libraries are not listed here
// (linked_strategies.h). strategies/CMakeLists.txt generates the definitions,
// so no strategy has to be listed by hand and the linker cannot drop one.
#ifndef STOWAGE_SRC_PLAN_BUILTIN_STRATEGIES_H_
#define STOWAGE_SRC_PLAN_BUILTIN_STRATEGIES_H_

#include <memory>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/string_view.h"
#include "stowage/strategy.h"

namespace stowage {

// Creates the strategies of the core. If the registry rejects a strategy,
// FindStrategy returns the reason as an error when it is called with the name
// of that strategy.
std::vector<std::unique_ptr<const Strategy>> CreateBuiltinStrategies();

// Returns the names of the folders that are separate libraries, whether or not
// this program links them. The library of strategy NAME is stowage::NAME.
Span<const string_view> LibraryStrategies();

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_BUILTIN_STRATEGIES_H_
