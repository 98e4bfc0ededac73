// SPDX-License-Identifier: Apache-2.0
// Finds two equal entries in a list. Used when a problem is checked.
#ifndef STOWAGE_SRC_MODEL_FIND_REPEATED_H_
#define STOWAGE_SRC_MODEL_FIND_REPEATED_H_

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"

namespace stowage {

// Finds two entries with the same key, where key(i) is the key of entry i. Keys
// must be comparable with <. Returns the indices of the two entries in rising
// order, or nothing if all keys differ. If several pairs of entries have equal
// keys, returns the pair with the least second index.
template <typename Key>
optional<std::pair<size_t, size_t>> FindRepeated(size_t count, const Key& key) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return key(a) < key(b); });
  optional<std::pair<size_t, size_t>> found;
  for (size_t k = 1; k < count; ++k) {
    const std::pair<size_t, size_t> two = {order[k - 1], order[k]};
    if (key(two.first) < key(two.second)) continue;
    if (!found || two.second < found->second) found = two;
  }
  return found;
}

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_FIND_REPEATED_H_
