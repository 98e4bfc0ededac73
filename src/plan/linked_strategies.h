// SPDX-License-Identifier: Apache-2.0
// Adds strategies that are in separate libraries because they need a package
// that the core does not depend on. Such a library has one object of type
// LinkedStrategy, which adds its strategy to the registry of every program that
// links the library. Strategies of the core itself are in builtin_strategies.h.
#ifndef STOWAGE_SRC_PLAN_LINKED_STRATEGIES_H_
#define STOWAGE_SRC_PLAN_LINKED_STRATEGIES_H_

#include <functional>
#include <memory>

#include "stowage/strategy.h"

namespace stowage {

// An entry that adds one strategy. It must be a static object: the constructor
// only puts it into a list, before main or when a shared library is loaded.
// Thread-safe.
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
// creates that strategy again. Code that creates a strategy may call this
// function; the call does not create that strategy twice. Requires that no two
// threads call this function at once; other threads may link strategies
// meanwhile.
void CreateLinkedStrategies(
    const std::function<void(std::unique_ptr<const Strategy>)>& add);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_LINKED_STRATEGIES_H_
