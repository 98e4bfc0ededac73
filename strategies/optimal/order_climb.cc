// SPDX-License-Identifier: Apache-2.0
#include "optimal/order_climb.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "optimal/packing.h"
#include "optimal/packing_search.h"
#include "optimal/search_tuning.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {
namespace {

// What a lifetime is multiplied by counts so many parts of 1.
constexpr uint32_t kParts = 256;

}  // namespace

OrderClimb::OrderClimb(const Packing& packing, bool by_load, uint64_t seed,
                       const ClimbTuning& tuning)
    : packing_(packing), by_load_(by_load), tuning_(tuning), random_(seed) {
  for (uint32_t i = 0; i < packing.items.size(); ++i) {
    if (!packing.items[i].is_fixed()) items_.push_back(i);
  }
  DrawFactors();
}

uint32_t OrderClimb::DrawFactor() {
  return kParts + static_cast<uint32_t>(random_.Below(tuning_.spread));
}

void OrderClimb::DrawFactors() {
  factors_.resize(packing_.items.size());
  for (uint32_t& factor : factors_) factor = DrawFactor();
  vain_tries_ = 0;
}

SearchOrder OrderClimb::OrderOf(const std::vector<uint32_t>& factors) const {
  const auto value = [&](uint32_t i) {
    return absl::uint128(packing_.items[i].lifetime) * factors[i];
  };
  SearchOrder order;
  order.by_load = by_load_;
  order.items = items_;
  std::sort(order.items.begin(), order.items.end(),
            [&](uint32_t a, uint32_t b) {
              const absl::uint128 x = value(a);
              const absl::uint128 y = value(b);
              if (x != y) return x > y;
              const Level p = packing_.items[a].size;
              const Level q = packing_.items[b].size;
              return p != q ? p > q : a < b;
            });
  return order;
}

bool OrderClimb::Run(Level capacity, uint64_t nodes, WorkLimit* work) {
  if (items_.empty() || capacity <= exhausted_) return false;
  if (capacity != capacity_) least_left_.reset();
  capacity_ = capacity;
  const uint64_t stop = nodes_ + nodes;
  while (nodes_ < stop && work->left() > 0) {
    std::vector<uint32_t> factors = factors_;
    for (uint64_t k = 0; k < tuning_.changes; ++k) {
      factors[items_[random_.Below(items_.size())]] = DrawFactor();
    }
    PackingSearch search(packing_, OrderOf(factors), capacity);
    search.Run(std::min(tuning_.nodes_per_item * items_.size(), stop - nodes_),
               work);
    nodes_ += search.nodes();
    ++tries_;
    switch (search.state()) {
      case PackingSearch::State::kFits:
        levels_ = search.levels();
        factors_ = std::move(factors);
        vain_tries_ = 0;
        return true;
      case PackingSearch::State::kExhausted:
        exhausted_ = capacity;
        return false;
      case PackingSearch::State::kOpen:
        Compare(search.least_left(), std::move(factors));
    }
  }
  return false;
}

// Keeps the factors of a try unless it has left more than the best one.
void OrderClimb::Compare(absl::uint128 left, std::vector<uint32_t> factors) {
  if (!least_left_ || left < *least_left_) vain_tries_ = 0;
  if (!least_left_ || left <= *least_left_) {
    least_left_ = left;
    factors_ = std::move(factors);
  }
  if (++vain_tries_ <= tuning_.patience) return;
  least_left_.reset();
  DrawFactors();
}

}  // namespace stowage::optimal
