// SPDX-License-Identifier: Apache-2.0
#include "src/harness/minimize.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace stowage::harness {
namespace {

// Part `i` of `all` cut into `parts`, or all but that.
std::vector<size_t> PartOf(const std::vector<size_t>& all, size_t i,
                           size_t parts, bool is_rest) {
  const auto begin =
      all.begin() + static_cast<std::ptrdiff_t>(all.size() * i / parts);
  const auto end =
      all.begin() + static_cast<std::ptrdiff_t>(all.size() * (i + 1) / parts);
  if (!is_rest) return {begin, end};
  std::vector<size_t> rest(all.begin(), begin);
  rest.insert(rest.end(), end, all.end());
  return rest;
}

}  // namespace

absl::StatusOr<std::vector<size_t>> Minimize(std::vector<size_t> all,
                                             const HappensWith& happens) {
  size_t parts = 2;
  while (all.size() > 1) {
    bool is_smaller = false;
    // With two parts, each is the rest of the other.
    for (const bool is_rest : {false, true}) {
      if (is_rest && parts == 2) continue;
      for (size_t i = 0; i < parts && !is_smaller; ++i) {
        std::vector<size_t> some = PartOf(all, i, parts, is_rest);
        const absl::StatusOr<bool> does = happens(some);
        if (!does.ok()) return does.status();
        if (!*does) continue;
        is_smaller = true;
        parts = is_rest ? parts - 1 : 2;
        all = std::move(some);
      }
    }
    if (is_smaller) continue;
    if (parts == all.size()) break;
    parts = std::min(2 * parts, all.size());
  }
  return all;
}

}  // namespace stowage::harness
