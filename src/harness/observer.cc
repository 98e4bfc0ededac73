// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/observer.h"

#include <cstddef>

#include "stowage/harness/arena_planner.h"

namespace stowage::harness {

bool Execution::IsLive(size_t tensor, size_t task) const {
  const Lifetime& lifetime = lifetimes[lifetimes[tensor].root];
  return lifetime.first && *lifetime.first <= task &&
         (!lifetime.last || task <= *lifetime.last);
}

}  // namespace stowage::harness
