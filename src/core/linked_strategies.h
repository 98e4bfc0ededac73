// SPDX-License-Identifier: Apache-2.0
// Strategies in libraries of their own, because they need a package that the
// core does without: one object of this type in such a library hands its
// strategy to the registry of every program that links the library. Strategies
// of the core itself are in builtin_strategies.h.
#ifndef STOWAGE_CORE_LINKED_STRATEGIES_H_
#define STOWAGE_CORE_LINKED_STRATEGIES_H_

#include <memory>
#include <vector>

#include "stowage/strategy.h"

namespace stowage {

// To be a static object: the constructor only adds it to a list, before main or
// when a shared library is loaded. Thread-safe.
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

// The strategies that were linked since the last call. Thread-safe.
std::vector<std::unique_ptr<const Strategy>> CreateLinkedStrategies();

}  // namespace stowage

#endif  // STOWAGE_CORE_LINKED_STRATEGIES_H_
