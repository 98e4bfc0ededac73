// SPDX-License-Identifier: Apache-2.0
#include "optimal/conflict.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/types/optional.h"
#include "optimal/limits.h"
#include "optimal/packing.h"
#include "optimal/portfolio.h"

namespace stowage::optimal {
namespace {

enum class Answer { kFits, kDoesNotFit, kOpen };

// Of what does not fit, `exhausted` is the search that proves it, if any does.
Answer Ask(const Packing& packing, Level capacity, uint64_t budget,
           const Limits& limits, uint64_t* nodes,
           absl::optional<ExhaustedSearch>* exhausted) {
  *exhausted = absl::nullopt;
  const Level lower = LowerBoundOf(packing);
  if (lower > capacity) return Answer::kDoesNotFit;
  const Level upper = TopOfStack(packing);
  Portfolio portfolio(packing, lower, upper, capacity, limits);
  while (!portfolio.closed()) {
    const uint64_t used = portfolio.Round(budget);
    *nodes += used;
    budget -= std::min(budget, used);
    if (used == 0 || (limits.stop != nullptr && limits.stop->IsSet())) break;
  }
  if (!portfolio.closed()) return Answer::kOpen;
  if (portfolio.lower() <= capacity) return Answer::kFits;
  *exhausted = portfolio.exhausted();
  return Answer::kDoesNotFit;
}

// Items in the order in which they are left out: what is small and short
// is the least likely to be needed.
void SortByArea(std::vector<Item>* items) {
  const auto area = [](const Item& item) {
    return absl::uint128(static_cast<uint64_t>(item.size)) *
           (item.end - item.begin);
  };
  std::sort(items->begin(), items->end(), [&](const Item& a, const Item& b) {
    const absl::uint128 x = area(a);
    const absl::uint128 y = area(b);
    return x != y ? x < y : a.record < b.record;
  });
}

// Leaves out items by search, several at a time first, then one by one. Returns
// whether each that is left is proved to be needed.
bool Reduce(Level capacity, const Limits& limits, Conflict* conflict) {
  bool irreducible = true;
  Packing* const kept = &conflict->packing;
  uint64_t* const nodes = &conflict->nodes;
  SortByArea(&kept->items);
  for (size_t step = std::max<size_t>(kept->items.size() / 4, 1);;
       step = std::max<size_t>(step / 2, 1)) {
    for (size_t k = 0; k < kept->items.size();) {
      if (limits.stop != nullptr && limits.stop->IsSet()) return false;
      Packing fewer = *kept;
      const auto first = fewer.items.begin() + static_cast<ptrdiff_t>(k);
      const size_t count = std::min(step, kept->items.size() - k);
      fewer.items.erase(first, first + static_cast<ptrdiff_t>(count));
      uint64_t budget = limits.tuning.nodes_per_question;
      if (limits.nodes) {
        budget =
            std::min(budget, *limits.nodes - std::min(*limits.nodes, *nodes));
      }
      absl::optional<ExhaustedSearch> exhausted;
      const Answer answer =
          Ask(fewer, capacity, budget, limits, nodes, &exhausted);
      if (answer == Answer::kDoesNotFit) {
        *kept = fewer;
        conflict->exhausted = exhausted;
        continue;
      }
      if (answer == Answer::kOpen && step == 1) irreducible = false;
      k += count;
    }
    if (step == 1) return irreducible;
  }
}

}  // namespace

Conflict FindConflict(const Packing& packing, Level capacity,
                      const Limits& limits) {
  Conflict conflict;
  conflict.packing = packing;
  conflict.irreducible = Reduce(capacity, limits, &conflict);
  for (const Item& item : conflict.packing.items) {
    conflict.records.push_back(item.record);
  }
  std::sort(conflict.records.begin(), conflict.records.end());
  return conflict;
}

}  // namespace stowage::optimal
