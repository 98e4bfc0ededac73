// SPDX-License-Identifier: Apache-2.0
#include "optimal/objects/objects_kernel.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <vector>

#include "src/base/range_tree.h"
#include "src/base/sort_until.h"
#include "stowage/base/span.h"

namespace stowage::optimal {
namespace {

// The number of items between two checks of the signal.
constexpr size_t kItemsPerPoll = 256;

// Computes prefix sums with a Fenwick tree.
class PrefixSums {
 public:
  explicit PrefixSums(uint32_t size) : sums_(size + 1, 0) {}

  void Add(uint32_t position, int32_t count) {
    for (size_t i = position + 1; i < sums_.size(); i += i & (~i + 1)) {
      sums_[i] += count;
    }
  }

  // Returns the sum of the counts at positions below `end`.
  int32_t Below(uint32_t end) const {
    int32_t sum = 0;
    for (size_t i = end; i > 0; i -= i & (~i + 1)) sum += sums_[i];
    return sum;
  }

 private:
  std::vector<int32_t> sums_;
};

class KernelFinder {
 public:
  KernelFinder(Span<const ObjectItem> items, uint32_t steps,
               const StopSignal& stop)
      : items_(items),
        steps_(steps),
        stop_(stop),
        begins_(steps + 1),
        ends_(steps + 1),
        order_(items.size()) {
    std::iota(order_.begin(), order_.end(), uint32_t{0});
  }

  ObjectsKernel Run() {
    const auto is_smaller = [&](uint32_t a, uint32_t b) {
      return items_[a].size != items_[b].size ? items_[a].size < items_[b].size
                                              : a < b;
    };
    if (SortUntil(stop_, is_smaller, &order_)) {
      for (const ObjectItem& item : items_) Count(item, 1);
      while (!order_.empty() && Pass()) {
      }
    } else {
      std::iota(order_.begin(), order_.end(), uint32_t{0});
    }
    std::vector<bool> is_dropped(items_.size());
    for (const uint32_t i : kernel_.dropped) is_dropped[i] = true;
    for (uint32_t i = 0; i < items_.size(); ++i) {
      if (!is_dropped[i]) kernel_.kept.push_back(i);
    }
    return std::move(kernel_);
  }

 private:
  void Count(const ObjectItem& item, int32_t count) {
    begins_.Add(item.life.begin, count);
    ends_.Add(item.life.end, count);
  }

  // Returns the number of remaining items that conflict with `item`, which must
  // be a remaining item.
  int32_t Conflicts(const ObjectItem& item) const {
    return begins_.Below(item.life.end) - ends_.Below(item.life.begin + 1) - 1;
  }

  // Tries to drop each remaining item, by ascending size. Returns whether
  // another pass may drop more items. The rule for an item counts all other
  // items that are at least as large, including items of the same size that
  // this pass has already kept.
  bool Pass() {
    RangeCounts depths(steps_);
    const auto add = [&](StepInterval life, int64_t count) {
      depths.Add(life.begin, life.end, count);
    };
    for (size_t k = 0; k < order_.size(); ++k) {
      if (k % kItemsPerPoll == 0 && stop_.IsSet()) return false;
      add(items_[order_[k]].life, 1);
    }
    std::vector<uint32_t> kept;
    size_t first_of_size = 0;  // an index into `kept`
    for (size_t k = 0; k < order_.size(); ++k) {
      const ObjectItem& item = items_[order_[k]];
      if (k % kItemsPerPoll == 0 && stop_.IsSet()) {
        kept.insert(kept.end(), order_.begin() + static_cast<ptrdiff_t>(k),
                    order_.end());
        order_ = std::move(kept);
        return false;
      }
      if (k > 0 && items_[order_[k - 1]].size < item.size) {
        for (; first_of_size < kept.size(); ++first_of_size) {
          add(items_[kept[first_of_size]].life, -1);
        }
      }
      add(item.life, -1);
      if (Conflicts(item) < depths.greatest()) {
        Count(item, -1);
        kernel_.dropped.push_back(order_[k]);
      } else {
        add(item.life, 1);
        kept.push_back(order_[k]);
      }
    }
    const bool has_dropped = kept.size() < order_.size();
    order_ = std::move(kept);
    return has_dropped;
  }

  Span<const ObjectItem> items_;
  uint32_t steps_;
  const StopSignal& stop_;
  PrefixSums begins_;  // counts begins of remaining items, ends_ counts ends
  PrefixSums ends_;
  std::vector<uint32_t> order_;  // the remaining items by rising size
  ObjectsKernel kernel_;
};

// An object of a plan. Maps the begin of each use to its end, in steps.
struct LiftedObject {
  size_t size = 0;
  size_t id = 0;
  std::map<uint32_t, uint32_t> uses;

  bool IsFree(StepInterval life) const {
    const auto after = uses.lower_bound(life.begin);
    if (after != uses.end() && after->first < life.end) return false;
    return after == uses.begin() || std::prev(after)->second <= life.begin;
  }
};

// Returns the objects, sorted by size and then by id.
std::vector<LiftedObject> ObjectsBySize(Span<const ObjectItem> items,
                                        const ObjectsKernel& kernel,
                                        const ObjectsAssignment<size_t>& plan) {
  std::vector<LiftedObject> objects(plan.object_sizes.size());
  for (size_t id = 0; id < objects.size(); ++id) {
    objects[id].size = plan.object_sizes[id];
    objects[id].id = id;
  }
  for (const uint32_t i : kernel.kept) {
    objects[plan.object_ids[i]].uses.emplace(items[i].life.begin,
                                             items[i].life.end);
  }
  std::stable_sort(objects.begin(), objects.end(),
                   [](const LiftedObject& a, const LiftedObject& b) {
                     return a.size < b.size;
                   });
  return objects;
}

}  // namespace

ObjectsKernel FindKernel(Span<const ObjectItem> items, uint32_t steps,
                         const StopSignal& stop) {
  return KernelFinder(items, steps, stop).Run();
}

bool LiftPlan(Span<const ObjectItem> items, const ObjectsKernel& kernel,
              const StopSignal& stop, ObjectsAssignment<size_t>* plan) {
  std::vector<LiftedObject> objects = ObjectsBySize(items, kernel, *plan);
  for (size_t k = kernel.dropped.size(); k-- > 0;) {
    if (k % kItemsPerPoll == 0 && stop.IsSet()) return false;
    const uint32_t i = kernel.dropped[k];
    auto object = std::lower_bound(
        objects.begin(), objects.end(), items[i].size,
        [](const LiftedObject& a, size_t size) { return a.size < size; });
    while (!object->IsFree(items[i].life)) ++object;
    object->uses.emplace(items[i].life.begin, items[i].life.end);
    plan->object_ids[i] = object->id;
  }
  return true;
}

}  // namespace stowage::optimal
