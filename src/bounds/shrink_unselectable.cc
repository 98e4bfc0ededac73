// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "src/bounds/pool_selection.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

constexpr size_t kMaxTries = 256;

// Returns whether SelectPools proves that no selection of pools exists for the
// kept items.
bool IsUnselectable(Span<const PoolItem> items, Span<const uint32_t> kept,
                    Span<const MemoryPool> pools, Span<const Nogood> nogoods,
                    const PoolLimits& limits) {
  std::vector<PoolItem> some;
  some.reserve(kept.size());
  for (const uint32_t item : kept) some.push_back(items[item]);
  std::vector<Nogood> about_them;
  for (const Nogood& nogood : nogoods) {
    if (!std::includes(kept.begin(), kept.end(), nogood.items.begin(),
                       nogood.items.end())) {
      continue;
    }
    Nogood& renumbered = about_them.emplace_back();
    renumbered.pool = nogood.pool;
    for (const uint32_t item : nogood.items) {
      renumbered.items.push_back(static_cast<uint32_t>(
          std::lower_bound(kept.begin(), kept.end(), item) - kept.begin()));
    }
  }
  const PoolSelections selected = SelectPools(some, pools, about_them, limits);
  return selected.selections.empty() && selected.is_exact;
}

}  // namespace

std::vector<uint32_t> ShrinkUnselectable(Span<const PoolItem> items,
                                         Span<const MemoryPool> pools,
                                         Span<const Nogood> nogoods,
                                         const PoolLimits& limits) {
  PoolLimits one = limits;
  one.selections = 1;
  std::vector<uint32_t> kept(items.size());
  std::iota(kept.begin(), kept.end(), 0);
  size_t tries = 0;
  for (size_t chunk = std::max<size_t>(kept.size() / 2, 1); chunk > 0;
       chunk /= 2) {
    for (size_t begin = 0; begin < kept.size();) {
      if (limits.stop.IsSet() || tries++ == kMaxTries) return kept;
      const size_t end = std::min(begin + chunk, kept.size());
      std::vector<uint32_t> rest = kept;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(begin),
                 rest.begin() + static_cast<std::ptrdiff_t>(end));
      if (IsUnselectable(items, rest, pools, nogoods, one)) {
        kept = std::move(rest);
      } else {
        begin = end;
      }
    }
  }
  return kept;
}

}  // namespace stowage::rigid
