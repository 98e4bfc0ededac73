// SPDX-License-Identifier: Apache-2.0
// Packings as tests write them: each item stands for the record of its number.
#ifndef STOWAGE_TESTS_STRATEGIES_MAKE_PACKING_H_
#define STOWAGE_TESTS_STRATEGIES_MAKE_PACKING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "optimal/packing.h"

namespace stowage::optimal {

inline Packing MakePacking(uint32_t steps, std::vector<Item> items) {
  Packing packing;
  packing.steps = steps;
  packing.items = std::move(items);
  for (uint32_t i = 0; i < packing.items.size(); ++i) {
    packing.items[i].record = i;
  }
  return packing;
}

}  // namespace stowage::optimal

#endif  // STOWAGE_TESTS_STRATEGIES_MAKE_PACKING_H_
