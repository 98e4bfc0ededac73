// SPDX-License-Identifier: Apache-2.0
#include "optimal/repair/lifetime_orders.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "optimal/exact/packing.h"

namespace stowage::optimal {
namespace {

// A factor is the sum of kSpread and four random numbers below kSpread, so its
// distribution is approximately normal, with a standard deviation of a fifth of
// the mean.
constexpr uint64_t kSpread = 128;

// The mean number of factors, out of 256, that a crossover takes from the first
// parent.
constexpr uint64_t kFromFirstOf256 = 179;

// The maximum lifetime; longer lifetimes count as this one. Its product with a
// factor of 16 bits fits 64 bits.
constexpr uint64_t kLongest = (uint64_t{1} << 48) - 1;

}  // namespace

LifetimeOrders::LifetimeOrders(const Packing& packing, uint64_t seed)
    : random_(seed) {
  uint64_t longest = 0;
  for (uint32_t i = 0; i < packing.items.size(); ++i) {
    if (packing.items[i].is_fixed()) continue;
    items_.push_back(i);
    longest = std::max(longest, packing.items[i].lifetime);
  }
  std::stable_sort(items_.begin(), items_.end(), [&](uint32_t a, uint32_t b) {
    return packing.items[a].size > packing.items[b].size;
  });
  int shift = 0;
  while (longest >> shift > kLongest) ++shift;
  for (const uint32_t i : items_) {
    lifetimes_.push_back(packing.items[i].lifetime >> shift);
  }
}

uint16_t LifetimeOrders::SampleFactor() {
  uint64_t factor = kSpread;
  for (uint64_t bits = random_.Next(), k = 0; k < 4; ++k) {
    factor += bits % kSpread;
    bits /= kSpread;
  }
  return static_cast<uint16_t>(factor);
}

LifetimeOrders::Factors LifetimeOrders::Sample() {
  Factors factors(count());
  for (uint16_t& factor : factors) factor = SampleFactor();
  return factors;
}

void LifetimeOrders::Change(uint64_t changes, Factors* factors) {
  for (uint64_t k = 0; k < changes; ++k) {
    (*factors)[Below(count())] = SampleFactor();
  }
}

LifetimeOrders::Factors LifetimeOrders::Cross(const Factors& first,
                                              const Factors& second) {
  Factors factors = first;
  for (size_t k = 0; k < factors.size(); ++k) {
    if (random_.Below(256) >= kFromFirstOf256) factors[k] = second[k];
  }
  return factors;
}

std::vector<uint32_t> LifetimeOrders::Sorted(const Factors& factors) {
  keys_.clear();
  for (size_t k = 0; k < items_.size(); ++k) {
    keys_.emplace_back(~(lifetimes_[k] * factors[k]), static_cast<uint32_t>(k));
  }
  std::sort(keys_.begin(), keys_.end());
  std::vector<uint32_t> sorted;
  sorted.reserve(keys_.size());
  for (const auto& [key, k] : keys_) sorted.push_back(items_[k]);
  return sorted;
}

}  // namespace stowage::optimal
