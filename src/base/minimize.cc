// SPDX-License-Identifier: Apache-2.0
#include "stowage/base/minimize.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "stowage/base/statusor.h"

namespace stowage {
namespace {

std::vector<size_t> Without(const std::vector<size_t>& all, size_t begin,
                            size_t count) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = all.begin() + static_cast<std::ptrdiff_t>(
                                      std::min(begin + count, all.size()));
  std::vector<size_t> rest(all.begin(), first);
  rest.insert(rest.end(), last, all.end());
  return rest;
}

}  // namespace

// Tries to leave out chunks of the list: first halves, then ever smaller
// chunks, and finally single elements. The pass over single elements is
// repeated until no single element can be left out.
StatusOr<std::vector<size_t>> Minimize(std::vector<size_t> all,
                                       const HappensWith& happens) {
  size_t chunk = (all.size() + 1) / 2;
  while (chunk > 0) {
    bool is_smaller = false;
    for (size_t begin = 0; begin < all.size() && chunk < all.size();) {
      std::vector<size_t> rest = Without(all, begin, chunk);
      const StatusOr<bool> does = happens(rest);
      if (!does.ok()) return does.status();
      if (*does) {
        all = std::move(rest);
        is_smaller = true;
      } else {
        begin += chunk;
      }
    }
    if (chunk > 1 || !is_smaller) chunk /= 2;
  }
  return all;
}

}  // namespace stowage
