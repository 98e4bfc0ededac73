// SPDX-License-Identifier: Apache-2.0
#include "optimal/diversified_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "optimal/packing.h"
#include "src/core/random.h"

namespace stowage::optimal {
namespace {

// What speaks for an item: the breadth of the broadest of its steps
// (congestion), its lifetime, area and size, and the sum of its steps' breadths
// (load).
enum class Key { kCongestion, kLifetime, kArea, kSize, kLoad };
using Keys = std::array<Key, 3>;

constexpr Keys kFamilies[DiversifiedOrders::kStatic] = {
    {Key::kCongestion, Key::kLifetime, Key::kArea},
    {Key::kArea, Key::kLifetime, Key::kCongestion},
    {Key::kLoad, Key::kLifetime, Key::kArea},
    {Key::kLifetime, Key::kSize, Key::kArea},
    {Key::kCongestion, Key::kArea, Key::kLifetime},
    {Key::kLifetime, Key::kCongestion, Key::kArea},
    {Key::kSize, Key::kLifetime, Key::kArea},
    {Key::kCongestion, Key::kLifetime, Key::kLifetime},
};

}  // namespace

DiversifiedOrders::DiversifiedOrders(const Packing& packing, uint64_t seed,
                                     const PortfolioTuning& tuning)
    : packing_(packing), seed_(seed), tuning_(tuning) {
  std::vector<Level> breadth(packing.steps, 0);
  for (const Item& item : packing.items) {
    for (uint32_t s = item.begin; s < item.end; ++s) breadth[s] += item.size;
  }
  for (const Item& item : packing.items) {
    Level most = 0;
    Level sum = 0;
    for (uint32_t s = item.begin; s < item.end; ++s) {
      most = std::max(most, breadth[s]);
      sum += breadth[s] / packing.steps;
    }
    congestion_.push_back(most);
    load_.push_back(sum);
  }
}

std::vector<uint32_t> DiversifiedOrders::Order(uint64_t index) const {
  const Keys& keys = kFamilies[index % kStatic];
  Random random(seed_ + index * 0x9E3779B97F4A7C15);
  const uint64_t least = keys[0] == Key::kCongestion
                             ? tuning_.least_congestion_factor
                             : tuning_.least_factor;
  std::vector<std::array<absl::uint128, 3>> values(packing_.items.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Item& item = packing_.items[i];
    const auto size = static_cast<uint64_t>(item.size);
    const uint64_t life = item.end - item.begin;
    const auto value = [&](Key key) -> absl::uint128 {
      switch (key) {
        case Key::kCongestion:
          return static_cast<uint64_t>(congestion_[i]);
        case Key::kLifetime:
          return life;
        case Key::kArea:
          return absl::uint128(size) * life;
        case Key::kSize:
          return size;
        case Key::kLoad:
          return static_cast<uint64_t>(load_[i]);
      }
      return 0;
    };
    for (size_t k = 0; k < keys.size(); ++k) values[i][k] = value(keys[k]);
    if (index >= kStatic) {
      values[i][0] *= least + random.Below(tuning_.neighbour_factors);
    }
  }
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < values.size(); ++i) {
    if (!packing_.items[i].is_fixed()) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  return order;
}

}  // namespace stowage::optimal
