// SPDX-License-Identifier: Apache-2.0
#include "optimal/exact/conflict.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/exact/portfolio.h"
#include "optimal/limits.h"
#include "src/base/int128.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {
namespace {

enum class Answer { kFits, kDoesNotFit, kOpen };

struct Reply {
  Answer answer = Answer::kOpen;
  std::vector<Level> levels;  // the levels of a packing, if the items fit
  // The complete search that proves that the packing does not fit. Set only if
  // the packing does not fit and its lower bound alone does not prove this.
  optional<ExhaustedSearch> exhausted;
  uint64_t nodes = 0;
};

Reply AskWhetherFits(const Packing& packing, Level capacity, uint64_t budget,
                     const Limits& limits) {
  Reply reply;
  const Level lower = LowerBoundOf(packing);
  if (lower > capacity) {
    reply.answer = Answer::kDoesNotFit;
    return reply;
  }
  Portfolio portfolio(packing, lower, TopOfStack(packing), capacity, limits);
  while (!portfolio.closed()) {
    const uint64_t used = portfolio.Round(budget);
    reply.nodes += used;
    budget -= std::min(budget, used);
    if (used == 0 || IsStopped(limits)) break;
  }
  if (!portfolio.closed()) return reply;
  if (portfolio.lower() > capacity) {
    reply.answer = Answer::kDoesNotFit;
    reply.exhausted = portfolio.exhausted();
    return reply;
  }
  reply.answer = Answer::kFits;
  reply.levels =
      portfolio.levels() ? *portfolio.levels() : StackLevels(packing);
  return reply;
}

// Sorts the items in the order in which the reduction tries to remove them.
// Items that are small and short-lived come first, since they are the least
// likely to be needed.
void SortByArea(std::vector<Item>* items) {
  std::sort(items->begin(), items->end(), [](const Item& a, const Item& b) {
    const uint128 x = AreaOf(a);
    const uint128 y = AreaOf(b);
    return x != y ? x < y : a.record < b.record;
  });
}

// Removes items from a conflict for as long as a search proves that the
// remaining items do not fit. Removes several items at a time at first, and
// single items later.
class Reduction {
 public:
  Reduction(Level capacity, const Limits& limits, Conflict* conflict)
      : capacity_(capacity),
        limits_(limits),
        conflict_(*conflict),
        items_(conflict->packing.items) {}

  void Run() {
    SortByArea(&items_);
    for (size_t step = items_.size() / 4; step > 1; step /= 2) {
      NumberItems();
      if (!LeaveOut(step)) return;
    }
    NumberItems();
    conflict_.irreducible = LeaveOut(1) && is_all_needed_;
  }

  // Returns the witnesses of irreducibility. The witness for an item contains
  // the levels of all other items. Both witnesses and levels are in the order
  // of records. Requires that every item is needed.
  std::vector<std::vector<Level>> Witnesses() const {
    std::vector<size_t> by_record(items_.size());
    std::iota(by_record.begin(), by_record.end(), size_t{0});
    std::sort(by_record.begin(), by_record.end(), [&](size_t a, size_t b) {
      return items_[a].record < items_[b].record;
    });
    std::vector<std::vector<Level>> witnesses;
    if (levels_without_.empty()) return witnesses;
    for (const size_t left_out : by_record) {
      std::vector<Level>& rest = witnesses.emplace_back();
      for (const size_t k : by_record) {
        if (k == left_out) continue;
        rest.push_back(levels_without_[left_out][numbers_[k]]);
      }
    }
    return witnesses;
  }

 private:
  uint64_t NodesOfNext() const {
    const uint64_t max = limits_.tuning.nodes_per_question;
    if (!limits_.nodes) return max;
    return std::min(max,
                    *limits_.nodes - std::min(*limits_.nodes, conflict_.nodes));
  }

  // Tries to remove `step` items at a time. Returns false if the signal is set.
  bool LeaveOut(size_t step) {
    for (size_t k = 0; k < items_.size();) {
      if (IsStopped(limits_)) return false;
      const size_t count = std::min(step, items_.size() - k);
      const auto first = static_cast<ptrdiff_t>(k);
      const auto end = first + static_cast<ptrdiff_t>(count);
      Packing fewer = conflict_.packing;
      fewer.items.erase(fewer.items.begin() + first, fewer.items.begin() + end);
      const Reply reply =
          AskWhetherFits(fewer, capacity_, NodesOfNext(), limits_);
      conflict_.nodes += reply.nodes;
      if (reply.answer == Answer::kDoesNotFit) {
        items_ = std::move(fewer.items);
        numbers_.erase(numbers_.begin() + first, numbers_.begin() + end);
        conflict_.exhausted = reply.exhausted;
        continue;
      }
      if (step == 1) Keep(k, reply);
      k += count;
    }
    return true;
  }

  // Numbers the items. Items keep their numbers when others are removed.
  void NumberItems() {
    numbered_ = items_.size();
    numbers_.resize(numbered_);
    std::iota(numbers_.begin(), numbers_.end(), size_t{0});
  }

  // Keeps item k, because no search has proved that the packing without this
  // item does not fit. If `reply` has a packing of the other items, item k is
  // needed, and the levels of that packing are stored. Otherwise it is unknown
  // whether item k is needed.
  void Keep(size_t k, const Reply& reply) {
    is_all_needed_ = is_all_needed_ && reply.answer == Answer::kFits;
    if (!is_all_needed_ || numbered_ > limits_.tuning.max_exact_items) return;
    std::vector<Level>& levels = levels_without_.emplace_back(numbered_, 0);
    for (size_t i = 0; i < reply.levels.size(); ++i) {
      levels[numbers_[i < k ? i : i + 1]] = reply.levels[i];
    }
  }

  const Level capacity_;
  const Limits& limits_;
  Conflict& conflict_;
  std::vector<Item>& items_;     // the remaining items
  std::vector<size_t> numbers_;  // the number of each remaining item
  size_t numbered_ = 0;
  bool is_all_needed_ = true;  // is false once an item may be unnecessary
  // For each needed item, the levels of all other items in a packing without
  // the needed item, indexed by number.
  std::vector<std::vector<Level>> levels_without_;
};

}  // namespace

Conflict FindConflict(const Packing& packing, Level capacity,
                      const Limits& limits) {
  Conflict conflict;
  conflict.packing = packing;
  Reduction reduction(capacity, limits, &conflict);
  reduction.Run();
  if (conflict.irreducible) conflict.witnesses = reduction.Witnesses();
  // If the height with paddings exceeds the capacity, a search finishes at its
  // root. Such a search is a proof even if no item was removed.
  if (!conflict.exhausted && TallestStep(conflict.packing).height > capacity) {
    conflict.exhausted =
        ExhaustedSearch{{MovableItems(conflict.packing)}, capacity};
  }
  for (const Item& item : conflict.packing.items) {
    conflict.records.push_back(item.record);
  }
  std::sort(conflict.records.begin(), conflict.records.end());
  return conflict;
}

}  // namespace stowage::optimal
