// SPDX-License-Identifier: Apache-2.0
// Adds strategies that are in separate libraries because they need a package on
// which the core does not depend. Such a library defines one object of type
// LinkedStrategy, which adds the strategy to the registry of every program that
// links the library. The strategies of the core are in builtin_strategies.h.
#ifndef STOWAGE_SRC_PLAN_LINKED_STRATEGIES_H_
#define STOWAGE_SRC_PLAN_LINKED_STRATEGIES_H_

#include <functional>
#include <memory>

#include "stowage/strategy.h"

namespace stowage {

// An entry that adds one strategy. Must be a static object. The constructor,
// which runs before main or when a shared library is loaded, only puts the
// entry into a list. Thread-safe.
class LinkedStrategy {
 public:
  using CreateFunction = std::unique_ptr<const Strategy> (*)();

  explicit LinkedStrategy(CreateFunction create);
  LinkedStrategy(const LinkedStrategy&) = delete;
  LinkedStrategy& operator=(const LinkedStrategy&) = delete;

 private:
  friend void CreateLinkedStrategies(
      const std::function<void(std::unique_ptr<const Strategy>)>& add);

  void PutInList();

  CreateFunction create_;
  LinkedStrategy* next_ = nullptr;
};

// Creates the strategies that were linked since the last call, and calls `add`
// with each of them. If creating or adding a strategy throws, the next call
// creates that strategy again. The function that creates a strategy may itself
// call CreateLinkedStrategies; that nested call does not create the same
// strategy again. Requires that no two threads call this function concurrently.
// Other threads may link strategies at any time.
void CreateLinkedStrategies(
    const std::function<void(std::unique_ptr<const Strategy>)>& add);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_LINKED_STRATEGIES_H_
