// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/clique_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::reuse {

CliqueSearch::CliqueSearch(const ReuseGraph& graph, uint64_t seed)
    : graph_(graph),
      random_(seed),
      prices_(graph.size() * graph.size(), 0),
      order_(graph.size()),
      is_in_(graph.size(), false),
      related_(graph.size(), 0) {
  std::iota(order_.begin(), order_.end(), 0);
  const ReuseGraph::Room room = graph.RoomOf(order_);
  sizes_ = room.sizes;
  room_ = room.bytes;
  uint64_t divisor = room_;
  for (const uint64_t size : sizes_) divisor = std::gcd(divisor, size);
  // There are at most 2^11 nodes, each with a size below 2^61. The shift by 11
  // keeps the sum within 64 bits.
  uint64_t sum = 0;
  for (const uint64_t size : sizes_) sum += size / divisor >> 11;
  while (sum >= uint64_t{1} << 18) {
    sum /= 2;
    divisor *= 2;
  }
  for (uint64_t& size : sizes_) size /= divisor;
  room_ = std::max<uint64_t>(1, room_ / divisor);
}

void CliqueSearch::SetPrices(Span<const uint32_t> prices) {
  for (size_t p = 0; p < prices.size(); ++p) {
    const SoftPair& pair = graph_.pairs()[p];
    prices_[pair.first * graph_.size() + pair.second] = prices[p];
    prices_[pair.second * graph_.size() + pair.first] = prices[p];
  }
}

void CliqueSearch::Clear() {
  for (const uint32_t node : clique_) is_in_[node] = false;
  std::fill(related_.begin(), related_.end(), 0);
  clique_.clear();
  loads_.clear();
  bytes_ = 0;
}

void CliqueSearch::Add(uint32_t node) {
  const uint32_t* const prices = &prices_[node * graph_.size()];
  size_t position = 0;
  uint64_t load = 0;
  while (position < clique_.size() && IsBefore(clique_[position], node)) {
    load += prices[clique_[position++]];
  }
  for (size_t k = position; k < clique_.size(); ++k) {
    loads_[k] += prices[clique_[k]];
  }
  const auto at = static_cast<std::ptrdiff_t>(position);
  clique_.insert(clique_.begin() + at, node);
  loads_.insert(loads_.begin() + at, load);
  bytes_ += sizes_[node];
  is_in_[node] = true;
  for (uint32_t v = 0; v < graph_.size(); ++v) {
    related_[v] += graph_.AreRelated(node, v) ? 1 : 0;
  }
}

void CliqueSearch::Drop(size_t position) {
  const uint32_t node = clique_[position];
  const uint32_t* const prices = &prices_[node * graph_.size()];
  for (size_t k = position + 1; k < clique_.size(); ++k) {
    loads_[k] -= prices[clique_[k]];
  }
  const auto at = static_cast<std::ptrdiff_t>(position);
  clique_.erase(clique_.begin() + at);
  loads_.erase(loads_.begin() + at);
  bytes_ -= sizes_[node];
  is_in_[node] = false;
  for (uint32_t v = 0; v < graph_.size(); ++v) {
    related_[v] -= graph_.AreRelated(node, v) ? 1 : 0;
  }
}

// Computes LeastOverlap for scaled sizes, which are too small to overflow.
uint64_t CliqueSearch::Overlap(uint64_t bytes) const {
  const uint64_t full = bytes / room_;
  if (full == 0) return 0;
  return room_ * full * (full - 1) / 2 + (bytes % room_) * full;
}

// Returns the sum of the prices of the clique with `node` added, or kNoSum if
// the records of that clique need not overlap. Each pair is weighted by the
// bytes of its smaller node, so the sums in loads_ suffice.
uint64_t CliqueSearch::SumWith(uint32_t node) const {
  const uint64_t overlap = Overlap(bytes_ + sizes_[node]);
  if (overlap == 0) return kNoSum;
  const uint32_t* const prices = &prices_[node * graph_.size()];
  uint64_t load = 0;
  uint64_t sum = 0;
  size_t k = 0;
  for (; k < clique_.size() && IsBefore(clique_[k], node); ++k) {
    load += prices[clique_[k]];
    sum += std::min(sizes_[clique_[k]], overlap) * loads_[k];
  }
  sum += std::min(sizes_[node], overlap) * load;
  for (; k < clique_.size(); ++k) {
    sum += std::min(sizes_[clique_[k]], overlap) *
           (loads_[k] + prices[clique_[k]]);
  }
  return sum / overlap;
}

uint64_t CliqueSearch::SumWithout(size_t position) const {
  const uint32_t node = clique_[position];
  const uint64_t overlap = Overlap(bytes_ - sizes_[node]);
  if (overlap == 0) return kNoSum;
  const uint32_t* const prices = &prices_[node * graph_.size()];
  uint64_t sum = 0;
  for (size_t k = 0; k < position; ++k) {
    sum += std::min(sizes_[clique_[k]], overlap) * loads_[k];
  }
  for (size_t k = position + 1; k < clique_.size(); ++k) {
    sum += std::min(sizes_[clique_[k]], overlap) *
           (loads_[k] - prices[clique_[k]]);
  }
  return sum / overlap;
}

uint64_t CliqueSearch::Sum() const {
  const uint64_t overlap = Overlap(bytes_);
  if (overlap == 0) return kNoSum;
  uint64_t sum = 0;
  for (size_t k = 0; k < clique_.size(); ++k) {
    sum += std::min(sizes_[clique_[k]], overlap) * loads_[k];
  }
  return sum / overlap;
}

void CliqueSearch::BeginWithPair() {
  const SoftPair& pair = graph_.pairs()[random_.Below(graph_.pairs().size())];
  Add(pair.first);
  Add(pair.second);
}

// Begins with a random clique: visits all nodes in a random order, and adds
// each node that can be added with probability keep / 4.
void CliqueSearch::BeginWithAny(uint64_t keep) {
  for (size_t k = order_.size(); k > 1; --k) {
    std::swap(order_[k - 1], order_[random_.Below(k)]);
  }
  for (const uint32_t node : order_) {
    if (IsAddable(node) && random_.Below(4) < keep) Add(node);
  }
}

// Begins with a random node and nodes that must not share a byte with it. Most
// of these nodes are live together.
void CliqueSearch::BeginWithConflicts() {
  const auto first = static_cast<uint32_t>(random_.Below(graph_.size()));
  Add(first);
  const auto offset = random_.Below(graph_.size());
  for (size_t k = 0; k < graph_.size(); ++k) {
    const auto node = static_cast<uint32_t>((k + offset) % graph_.size());
    if (IsAddable(node) && graph_.PairOf(first, node) == ReuseGraph::kNoPair) {
      Add(node);
    }
  }
}

// Adds nodes until the bytes of the clique exceed the room. Each time, adds the
// node whose pairs with the clique have the lowest price per byte.
bool CliqueSearch::Grow(WorkLimit* work) {
  while (bytes_ <= room_) {
    if (!work->Spend(graph_.size())) return false;
    uint32_t best = ReuseGraph::kNoPair;
    uint64_t best_price = kNoSum;
    for (uint32_t node = 0; node < graph_.size(); ++node) {
      if (!IsAddable(node) || sizes_[node] == 0) continue;
      if (!work->Spend(clique_.size())) return false;
      const uint32_t* const prices = &prices_[node * graph_.size()];
      uint64_t sum = 0;
      for (const uint32_t other : clique_) {
        sum += std::min(sizes_[node], sizes_[other]) * prices[other];
      }
      const uint64_t price = sum / sizes_[node];
      if (price < best_price ||
          (price == best_price && sizes_[node] > sizes_[best])) {
        best = node;
        best_price = price;
      }
    }
    if (best == ReuseGraph::kNoPair) return false;
    Add(best);
  }
  return true;
}

// Adds or drops one node at a time, always the one that lowers the sum of the
// prices most, until no change lowers it. Returns false if `work` ends first.
bool CliqueSearch::Descend(WorkLimit* work) {
  uint64_t sum = Sum();
  for (;;) {
    if (!work->Spend(graph_.size() + clique_.size() * clique_.size())) {
      return false;
    }
    uint64_t best_sum = sum;
    uint32_t added = ReuseGraph::kNoPair;
    size_t dropped = clique_.size();
    for (uint32_t node = 0; node < graph_.size(); ++node) {
      if (!IsAddable(node)) continue;
      if (!work->Spend(clique_.size())) return false;
      const uint64_t next = SumWith(node);
      if (next >= best_sum) continue;
      best_sum = next;
      added = node;
    }
    for (size_t k = 0; k < clique_.size(); ++k) {
      const uint64_t next = SumWithout(k);
      if (next >= best_sum) continue;
      best_sum = next;
      dropped = k;
    }
    if (best_sum >= sum) return true;
    sum = best_sum;
    if (dropped < clique_.size()) {
      Drop(dropped);
    } else {
      Add(added);
    }
  }
}

optional<CliqueSearch::Found> CliqueSearch::Finish(WorkLimit* work) {
  if (!Grow(work) || !Descend(work)) return nullopt;
  return Found{clique_, Sum()};
}

optional<CliqueSearch::Found> CliqueSearch::Next(WorkLimit* work) {
  Clear();
  if (!work->Spend(graph_.size())) return nullopt;
  switch (random_.Below(4)) {
    case 0:
      BeginWithAny(4);
      break;
    case 1:
      BeginWithAny(1 + random_.Below(3));
      break;
    case 2:
      BeginWithConflicts();
      break;
    default:
      BeginWithPair();
  }
  return Finish(work);
}

optional<CliqueSearch::Found> CliqueSearch::Improve(Span<const uint32_t> nodes,
                                                    WorkLimit* work) {
  Clear();
  for (const uint32_t node : nodes) Add(node);
  return Finish(work);
}

}  // namespace stowage::reuse
