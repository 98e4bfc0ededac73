// SPDX-License-Identifier: Apache-2.0
// Adds strategies that are in separate libraries because they need a package
// that the core does not depend on. Such a library has one object of type
// LinkedStrategy, which adds its strategy to the registry of every program that
// links the library. Strategies of the core itself are in builtin_strategies.h.
#ifndef STOWAGE_SRC_PLAN_LINKED_STRATEGIES_H_
#define STOWAGE_SRC_PLAN_LINKED_STRATEGIES_H_

#include <memory>
#include <vector>

#include "stowage/strategy.h"

namespace stowage {

// Must be a static object: its constructor only adds it to a list, before main
// or when a shared library is loaded. Thread-safe.
class LinkedStrategy {
 public:
  using CreateFunction = std::unique_ptr<const Strategy> (*)();

  explicit LinkedStrategy(CreateFunction create);
  LinkedStrategy(const LinkedStrategy&) = delete;
  LinkedStrategy& operator=(const LinkedStrategy&) = delete;

 private:
  friend std::vector<std::unique_ptr<const Strategy>> CreateLinkedStrategies();

  CreateFunction create_;
  LinkedStrategy* next_ = nullptr;
};

// Creates the strategies that were linked since the last call. Thread-safe.
std::vector<std::unique_ptr<const Strategy>> CreateLinkedStrategies();

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_LINKED_STRATEGIES_H_
