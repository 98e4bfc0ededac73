// SPDX-License-Identifier: Apache-2.0
#include "src/plan/linked_strategies.h"

#include <atomic>
#include <memory>
#include <vector>

namespace stowage {
namespace {

// This variable is initialised before any constructor runs, so that the static
// objects of libraries can use it.
std::atomic<LinkedStrategy*> linked{nullptr};

}  // namespace

LinkedStrategy::LinkedStrategy(CreateFunction create) : create_(create) {
  next_ = linked.load();
  while (!linked.compare_exchange_weak(next_, this)) {
  }
}

std::vector<std::unique_ptr<const Strategy>> CreateLinkedStrategies() {
  std::vector<std::unique_ptr<const Strategy>> strategies;
  for (const LinkedStrategy* entry = linked.exchange(nullptr); entry != nullptr;
       entry = entry->next_) {
    strategies.push_back(entry->create_());
  }
  return strategies;
}

}  // namespace stowage
