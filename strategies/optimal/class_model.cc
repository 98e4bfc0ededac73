// SPDX-License-Identifier: Apache-2.0
#include "optimal/class_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/types/span.h"

namespace stowage::optimal {
namespace {

template <typename KeyOf>
std::vector<uint32_t> SortedBy(size_t count, KeyOf key_of) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return key_of(a) != key_of(b) ? key_of(a) < key_of(b) : a < b;
  });
  return order;
}

void SetClasses(absl::Span<const ObjectItem> items,
                absl::Span<const uint32_t> indices, ClassModel* model) {
  for (const uint32_t i : indices) model->sizes.push_back(items[i].size);
  std::sort(model->sizes.begin(), model->sizes.end());
  model->sizes.erase(std::unique(model->sizes.begin(), model->sizes.end()),
                     model->sizes.end());
  for (const uint32_t i : indices) {
    const auto found = std::lower_bound(model->sizes.begin(),
                                        model->sizes.end(), items[i].size);
    model->ranges.push_back(
        {static_cast<uint32_t>(found - model->sizes.begin()),
         static_cast<uint32_t>(model->sizes.size())});
  }
}

// A clique is largest if an item begins before the next one ends, after the
// last one has ended.
void SetCliques(absl::Span<const ObjectItem> items,
                absl::Span<const uint32_t> indices, ClassModel* model) {
  const auto life_of = [&](uint32_t k) { return items[indices[k]].life; };
  model->by_begin =
      SortedBy(indices.size(), [&](uint32_t k) { return life_of(k).begin; });
  model->by_end =
      SortedBy(indices.size(), [&](uint32_t k) { return life_of(k).end; });
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
    if (has_begun) model->cliques.push_back(live);
    has_begun = false;
    live.erase(std::lower_bound(live.begin(), live.end(), ending));
    model->lives[ending].end = static_cast<uint32_t>(model->cliques.size());
  }
}

}  // namespace

ClassModel BuildClassModel(absl::Span<const ObjectItem> items,
                           absl::Span<const uint32_t> indices) {
  ClassModel model;
  SetClasses(items, indices, &model);
  SetCliques(items, indices, &model);
  return model;
}

size_t SharesOf(absl::Span<const ObjectItem> items,
                absl::Span<const uint32_t> indices) {
  ClassModel model;
  SetClasses(items, indices, &model);
  size_t shares = 0;
  for (const ClassRange& range : model.ranges) {
    shares += range.end - range.first;
  }
  return shares;
}

}  // namespace stowage::optimal
