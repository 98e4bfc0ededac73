// SPDX-License-Identifier: Apache-2.0
// Generates orders of records for tests of stacks.
#ifndef STOWAGE_TESTS_DYNAMIC_RANDOM_ORDER_H_
#define STOWAGE_TESTS_DYNAMIC_RANDOM_ORDER_H_

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "stowage/base/random.h"

namespace stowage {

// Returns the numbers from 0 to count - 1 in a random order.
inline std::vector<size_t> RandomOrder(Random* random, size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<size_t>(random->Below(i))]);
  }
  return order;
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_DYNAMIC_RANDOM_ORDER_H_
