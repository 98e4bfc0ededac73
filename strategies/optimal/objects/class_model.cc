// SPDX-License-Identifier: Apache-2.0
#include "optimal/objects/class_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "src/base/sort_until.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::optimal {
namespace {

// The number of ranges between two checks of the signal.
constexpr size_t kRangesPerPoll = 4096;

template <typename KeyOf>
bool SortUntilBy(const StopSignal& stop, size_t count, KeyOf key_of,
                 std::vector<uint32_t>* order) {
  order->resize(count);
  std::iota(order->begin(), order->end(), uint32_t{0});
  const auto is_before = [&](uint32_t a, uint32_t b) {
    return key_of(a) != key_of(b) ? key_of(a) < key_of(b) : a < b;
  };
  return SortUntil(stop, is_before, order);
}

// Sets the sizes of the classes, and the classes that each item may have.
// Returns false if the signal is set before this is finished.
bool SetClasses(const StopSignal& stop, Span<const ObjectItem> items,
                Span<const uint32_t> indices, ClassModel* model) {
  for (const uint32_t i : indices) model->sizes.push_back(items[i].size);
  if (!SortUntil(stop, std::less<>(), &model->sizes)) return false;
  model->sizes.erase(std::unique(model->sizes.begin(), model->sizes.end()),
                     model->sizes.end());
  for (const uint32_t i : indices) {
    if (model->ranges.size() % kRangesPerPoll == 0 && stop.IsSet()) {
      return false;
    }
    const auto found = std::lower_bound(model->sizes.begin(),
                                        model->sizes.end(), items[i].size);
    model->ranges.push_back(
        {static_cast<uint32_t>(found - model->sizes.begin()),
         static_cast<uint32_t>(model->sizes.size())});
  }
  return true;
}

// Sets the cliques and their items. At each end of an item, the live items form
// a maximal clique iff an item has begun since the previous end. Returns false
// if the signal is set before this is finished.
bool SetCliques(const StopSignal& stop, Span<const ObjectItem> items,
                Span<const uint32_t> indices, ClassModel* model) {
  const auto life_of = [&](uint32_t k) { return items[indices[k]].life; };
  const auto begin_of = [&](uint32_t k) { return life_of(k).begin; };
  const auto end_of = [&](uint32_t k) { return life_of(k).end; };
  const size_t count = indices.size();
  if (!SortUntilBy(stop, count, begin_of, &model->by_begin) ||
      !SortUntilBy(stop, count, end_of, &model->by_end)) {
    return false;
  }
  model->lives.resize(indices.size());
  std::vector<uint32_t> live;
  size_t next = 0;
  bool has_begun = false;
  for (const uint32_t ending : model->by_end) {
    for (; next < indices.size() &&
           life_of(model->by_begin[next]).begin < life_of(ending).end;
         ++next) {
      const uint32_t k = model->by_begin[next];
      model->lives[k].begin = static_cast<uint32_t>(model->cliques.size());
      live.insert(std::upper_bound(live.begin(), live.end(), k), k);
      has_begun = true;
    }
    if (has_begun) {
      if (stop.IsSet()) return false;
      model->cliques.push_back(live);
    }
    has_begun = false;
    live.erase(std::lower_bound(live.begin(), live.end(), ending));
    model->lives[ending].end = static_cast<uint32_t>(model->cliques.size());
  }
  return true;
}

}  // namespace

optional<ClassModel> BuildClassModelUntil(const StopSignal& stop,
                                          Span<const ObjectItem> items,
                                          Span<const uint32_t> indices) {
  ClassModel model;
  if (!SetClasses(stop, items, indices, &model) ||
      !SetCliques(stop, items, indices, &model)) {
    return nullopt;
  }
  return model;
}

ClassModel BuildClassModel(Span<const ObjectItem> items,
                           Span<const uint32_t> indices) {
  return *BuildClassModelUntil(StopSignal(), items, indices);
}

optional<size_t> SharesUntil(const StopSignal& stop,
                             Span<const ObjectItem> items,
                             Span<const uint32_t> indices) {
  ClassModel model;
  if (!SetClasses(stop, items, indices, &model)) return nullopt;
  size_t shares = 0;
  for (const ClassRange& range : model.ranges) {
    shares += range.end - range.first;
  }
  return shares;
}

}  // namespace stowage::optimal
