#include "optimal/window_repair.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/diversified_order.h"
#include "optimal/packing.h"
#include "optimal/packing_search.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {
namespace {

struct Window {
  uint32_t begin;
  uint32_t end;
};

bool IsInside(const Item& item, Window window) {
  return window.begin <= item.begin && item.end <= window.end;
}

class Repair {
 public:
  Repair(const Packing& packing, Level capacity, const RepairEffort& effort,
         WorkLimit* work, std::vector<Level>* levels, uint64_t* nodes)
      : packing_(packing),
        capacity_(capacity),
        effort_(effort),
        work_(work),
        levels_(*levels),
        nodes_(*nodes),
        limit_(effort.budget > ~uint64_t{0} - *nodes ? ~uint64_t{0}
                                                     : *nodes + effort.budget) {
  }

  bool Run() {
    bool all = true;
    for (uint32_t i = 0; i < levels_.size(); ++i) {
      if (TopOf(i) <= capacity_) continue;
      if (work_->left() == 0 || nodes_ >= limit_) return false;
      all = OpenWindow(i) && all;
    }
    return all;
  }

 private:
  Level TopOf(size_t i) const { return levels_[i] + packing_.items[i].size; }

  size_t CountInside(Window window) {
    work_->Spend(packing_.items.size() / 16 + 1);
    return static_cast<size_t>(std::count_if(
        packing_.items.begin(), packing_.items.end(),
        [&](const Item& item) { return IsInside(item, window); }));
  }

  // Widens a window around an item until it has enough in it.
  bool OpenWindow(uint32_t item) {
    Window window = {packing_.items[item].begin, packing_.items[item].end};
    uint32_t margin = 1;
    while (CountInside(window) < effort_.window &&
           (window.begin > 0 || window.end < packing_.steps)) {
      window.begin -= std::min(window.begin, margin);
      window.end += std::min(packing_.steps - window.end, margin);
      margin *= 2;
    }
    return Refill(window);
  }

  // The items that meet the window, clipped to it; those that live on beyond it
  // cannot move. False if one of these ends too high.
  bool Extract(Window window, Packing* inner) {
    inner->steps = window.end - window.begin;
    for (uint32_t i = 0; i < packing_.items.size(); ++i) {
      Item item = packing_.items[i];
      if (item.begin >= window.end || item.end <= window.begin) continue;
      if (IsInside(item, window)) {
        item.highest = capacity_ - item.size;
      } else {
        item.lowest = levels_[i];
        item.highest = levels_[i];
        if (TopOf(i) > capacity_) return false;
      }
      item.begin = std::max(item.begin, window.begin) - window.begin;
      item.end = std::min(item.end, window.end) - window.begin;
      item.record = i;
      inner->items.push_back(item);
    }
    return true;
  }

  bool Refill(Window window) {
    Packing inner;
    if (!Extract(window, &inner)) return false;
    const DiversifiedOrders orders(inner, effort_.seed);
    for (uint64_t k = 0; k < effort_.orders; ++k) {
      PackingSearch search(inner, orders.Order(k), capacity_);
      const PackingSearch::State state =
          search.Run(std::min(effort_.nodes, limit_ - nodes_), work_);
      nodes_ += search.nodes();
      if (state == PackingSearch::State::kExhausted) return false;
      if (state != PackingSearch::State::kFits) continue;
      const std::vector<Level> levels = search.levels();
      for (size_t j = 0; j < levels.size(); ++j) {
        levels_[inner.items[j].record] = levels[j];
      }
      return true;
    }
    return false;
  }

  const Packing& packing_;
  const Level capacity_;
  const RepairEffort& effort_;
  WorkLimit* work_;
  std::vector<Level>& levels_;
  uint64_t& nodes_;
  const uint64_t limit_;  // of nodes_
};

}  // namespace

bool RepairByWindows(const Packing& packing, Level capacity,
                     const RepairEffort& effort, WorkLimit* work,
                     std::vector<Level>* levels, uint64_t* nodes) {
  return Repair(packing, capacity, effort, work, levels, nodes).Run();
}

}  // namespace stowage::optimal
