// SPDX-License-Identifier: Apache-2.0
#include "optimal/objects/class_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "stowage/base/span.h"

namespace stowage::optimal {
namespace {

// The maximum size of a table of counts, in classes times cliques. This is 16
// MB.
constexpr size_t kMaxCounts = size_t{1} << 22;

// The number of items of each class in each clique.
class CliqueCounts {
 public:
  CliqueCounts(const ClassModel& model, Span<const uint32_t> classes)
      : model_(model), counts_(model.sizes.size() * model.cliques.size(), 0) {
    for (uint32_t i = 0; i < classes.size(); ++i) Add(i, classes[i], 1);
  }

  void Add(uint32_t item, uint32_t k, int32_t count) {
    for (uint32_t c = model_.lives[item].begin; c < model_.lives[item].end;
         ++c) {
      At(k, c) += count;
    }
  }

  int32_t Depth(uint32_t k) const {
    int32_t depth = 0;
    for (uint32_t c = 0; c < model_.cliques.size(); ++c) {
      depth = std::max(depth, counts_[k * model_.cliques.size() + c]);
    }
    return depth;
  }

  // Returns whether fewer than `depth` items have class `k` in every clique of
  // the item.
  bool IsFree(uint32_t item, uint32_t k, int32_t depth) {
    for (uint32_t c = model_.lives[item].begin; c < model_.lives[item].end;
         ++c) {
      if (At(k, c) >= depth) return false;
    }
    return true;
  }

 private:
  int32_t& At(uint32_t k, uint32_t clique) {
    return counts_[k * model_.cliques.size() + clique];
  }

  const ClassModel& model_;
  std::vector<int32_t> counts_;
};

}  // namespace

void RaiseToFreeObjects(const ClassModel& model,
                        std::vector<uint32_t>* classes) {
  if (model.cliques.size() > kMaxCounts / model.sizes.size()) return;
  CliqueCounts counts(model, *classes);
  std::vector<uint32_t> order(classes->size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return model.ranges[a].first > model.ranges[b].first;
  });
  for (auto k = static_cast<uint32_t>(model.sizes.size()); k-- > 0;) {
    const int32_t depth = counts.Depth(k);
    if (depth == 0) continue;
    for (const uint32_t i : order) {
      uint32_t& from = (*classes)[i];
      if (from >= k || model.ranges[i].first > k) continue;
      if (!counts.IsFree(i, k, depth)) continue;
      counts.Add(i, from, -1);
      counts.Add(i, k, 1);
      from = k;
    }
  }
}

ObjectsAssignment<size_t> ObjectsOf(const ClassModel& model,
                                    Span<const uint32_t> classes) {
  ObjectsAssignment<size_t> plan;
  plan.object_ids.resize(classes.size());
  std::vector<std::vector<size_t>> free(model.sizes.size());
  size_t next = 0;
  for (const uint32_t i : model.by_begin) {
    for (; model.lives[model.by_end[next]].end <= model.lives[i].begin;
         ++next) {
      const uint32_t ended = model.by_end[next];
      free[classes[ended]].push_back(plan.object_ids[ended]);
    }
    std::vector<size_t>& objects = free[classes[i]];
    if (objects.empty()) {
      objects.push_back(plan.object_sizes.size());
      plan.object_sizes.push_back(0);
    }
    plan.object_ids[i] = objects.back();
    objects.pop_back();
    size_t& size = plan.object_sizes[plan.object_ids[i]];
    size = std::max(size, model.sizes[model.ranges[i].first]);
  }
  return plan;
}

}  // namespace stowage::optimal
