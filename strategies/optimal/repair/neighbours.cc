// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/neighbours.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "optimal/exact/packing.h"

namespace stowage::optimal {

Neighbours::Neighbours(const Packing& packing) : packing_(packing) {
  const std::vector<Item>& items = packing.items;
  by_begin_.resize(items.size());
  std::iota(by_begin_.begin(), by_begin_.end(), uint32_t{0});
  std::sort(by_begin_.begin(), by_begin_.end(), [&](uint32_t a, uint32_t b) {
    return items[a].begin != items[b].begin ? items[a].begin < items[b].begin
                                            : a < b;
  });
  checkpoints_.push_back({0, 0, 0, 0});
  std::vector<uint32_t> live;
  for (size_t k = 0; k < by_begin_.size(); ++k) {
    const uint32_t step = items[by_begin_[k]].begin;
    const Checkpoint& last = checkpoints_.back();
    // Every item that is live at this step either was live at the last
    // checkpoint or has begun since then. A new checkpoint is worth its memory
    // only if enough items have begun since the last one.
    const size_t begun = k - last.begun;
    if (step > last.step && begun > last.live_end - last.live_begin) {
      live.erase(
          std::remove_if(live.begin(), live.end(),
                         [&](uint32_t i) { return items[i].end <= step; }),
          live.end());
      if (live.size() <= begun) {
        const size_t begin = live_.size();
        live_.insert(live_.end(), live.begin(), live.end());
        checkpoints_.push_back({step, k, begin, live_.size()});
      }
    }
    live.push_back(by_begin_[k]);
  }
}

const Neighbours::Checkpoint& Neighbours::Before(uint32_t step) const {
  return *(std::upper_bound(checkpoints_.begin(), checkpoints_.end(), step,
                            [](uint32_t at, const Checkpoint& checkpoint) {
                              return at < checkpoint.step;
                            }) -
           1);
}

size_t Neighbours::CountAtMost(uint32_t item) const {
  const Item& self = packing_.items[item];
  const Checkpoint& checkpoint = Before(self.begin);
  const auto first =
      by_begin_.begin() + static_cast<ptrdiff_t>(checkpoint.begun);
  const auto behind = std::lower_bound(
      first, by_begin_.end(), self.end, [&](uint32_t other, uint32_t step) {
        return packing_.items[other].begin < step;
      });
  return checkpoint.live_end - checkpoint.live_begin +
         static_cast<size_t>(behind - first);
}

void Neighbours::Of(uint32_t item, std::vector<uint32_t>* found) const {
  const std::vector<Item>& items = packing_.items;
  const Item& self = items[item];
  const Checkpoint& checkpoint = Before(self.begin);
  found->clear();
  for (size_t k = checkpoint.live_begin; k < checkpoint.live_end; ++k) {
    const uint32_t other = live_[k];
    if (items[other].end > self.begin && other != item) {
      found->push_back(other);
    }
  }
  for (size_t k = checkpoint.begun; k < by_begin_.size(); ++k) {
    const uint32_t other = by_begin_[k];
    if (items[other].begin >= self.end) break;
    if (items[other].end > self.begin && other != item) {
      found->push_back(other);
    }
  }
}

}  // namespace stowage::optimal
