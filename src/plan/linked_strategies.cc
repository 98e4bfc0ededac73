// SPDX-License-Identifier: Apache-2.0
#include "src/plan/linked_strategies.h"

#include <atomic>
#include <functional>
#include <memory>

namespace stowage {
namespace {

// This variable is initialized at compile time, so the constructors of static
// objects in libraries can use it.
std::atomic<LinkedStrategy*> linked{nullptr};

}  // namespace

LinkedStrategy::LinkedStrategy(CreateFunction create) : create_(create) {
  PutInList();
}

void LinkedStrategy::PutInList() {
  next_ = linked.load();
  while (!linked.compare_exchange_weak(next_, this)) {
  }
}

void CreateLinkedStrategies(
    const std::function<void(std::unique_ptr<const Strategy>)>& add) {
  // Puts an entry back into the list unless its strategy has been added.
  struct Taken {
    LinkedStrategy* entry;
    bool is_added = false;

    ~Taken() {
      if (!is_added) entry->PutInList();
    }
  };
  LinkedStrategy* entry = linked.load();
  while (entry != nullptr) {
    // Only this thread removes entries from the list, so `entry->next_` does
    // not change.
    if (!linked.compare_exchange_weak(entry, entry->next_)) continue;
    Taken taken{entry};
    add(entry->create_());
    taken.is_added = true;
    entry = linked.load();
  }
}

}  // namespace stowage
