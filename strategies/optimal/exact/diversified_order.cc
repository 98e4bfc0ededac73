// SPDX-License-Identifier: Apache-2.0
#include "optimal/exact/diversified_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "optimal/exact/packing.h"
#include "src/base/int128.h"
#include "src/base/str_cat.h"
#include "stowage/base/random.h"
#include "stowage/base/string_view.h"

namespace stowage::optimal {
namespace {

// The sort keys of an item: the largest breadth among its steps (congestion),
// its lifetime in steps or in tasks, its area (size times one of these
// lifetimes), its size, or the sum of the breadths of its steps (load).
enum class Key {
  kCongestion,
  kSteps,
  kTasks,
  kStepArea,
  kTaskArea,
  kSize,
  kLoad,
};

struct Family {
  bool by_load = false;  // says whether load is compared before the keys
  std::array<Key, 3> keys;
  // A neighbour of this order multiplies the key keys[varied] of each item by a
  // random factor between 1 and 1 + percent / 100.
  size_t varied = 0;
  uint64_t percent = 0;
};

// The plain orders. The orders by load measure lifetimes in tasks, and all
// other orders, which are called static, measure them in steps. Each plain
// order solves packings that no other plain order solves.
constexpr Family kPlainFamilies[DiversifiedOrders::kPlain] = {
    {true, {Key::kTasks, Key::kTaskArea, Key::kSize}, 1, 30},
    {false, {Key::kCongestion, Key::kSteps, Key::kStepArea}, 0, 5},
    {true, {Key::kTaskArea, Key::kTasks, Key::kSize}, 0, 30},
    {false, {Key::kStepArea, Key::kSteps, Key::kCongestion}, 0, 64},
    {true, {Key::kSize, Key::kTasks, Key::kTaskArea}, 0, 30},
    {false, {Key::kLoad, Key::kSteps, Key::kStepArea}, 0, 64},
    {true, {Key::kTasks, Key::kSize, Key::kTaskArea}, 0, 10},
    {false, {Key::kSteps, Key::kSize, Key::kStepArea}, 0, 64},
    {false, {Key::kCongestion, Key::kStepArea, Key::kSteps}, 0, 5},
    {false, {Key::kSteps, Key::kCongestion, Key::kStepArea}, 0, 64},
    {false, {Key::kSize, Key::kSteps, Key::kStepArea}, 0, 64},
    {false, {Key::kCongestion, Key::kSteps, Key::kSteps}, 0, 5},
};

// The families that random neighbours are made from, as indices into
// kPlainFamilies: first the families with Family::by_load, then those without.
constexpr size_t kByLoad[] = {0, 2, 4, 6};
constexpr size_t kStatic[] = {1, 3, 5, 7, 8, 9, 10, 11};

// Returns the name of a key. The area in tasks is called "area", as elsewhere
// in the library. No key is called "load", because in the name of an order,
// "load" means that each part of a search may re-sort its items by the load of
// the remaining items.
string_view KeyName(Key key) {
  switch (key) {
    case Key::kCongestion:
      return "congestion";
    case Key::kSteps:
      return "steps";
    case Key::kTasks:
      return "tasks";
    case Key::kStepArea:
      return "step_area";
    case Key::kTaskArea:
      return "area";
    case Key::kSize:
      return "size";
    case Key::kLoad:
      return "total_load";
  }
  return "";
}

uint64_t SeedOf(uint64_t seed, uint64_t index) {
  return seed + index * 0x9E3779B97F4A7C15;
}

uint128 ValueOf(Key key, const Item& item, Level congestion, Level load) {
  const auto size = static_cast<uint64_t>(item.size);
  const uint64_t steps = item.end - item.begin;
  switch (key) {
    case Key::kCongestion:
      return static_cast<uint64_t>(congestion);
    case Key::kSteps:
      return steps;
    case Key::kTasks:
      return item.lifetime;
    case Key::kStepArea:
      return AreaOf(item);
    case Key::kTaskArea:
      return uint128(size) * item.lifetime;
    case Key::kSize:
      return size;
    case Key::kLoad:
      return static_cast<uint64_t>(load);
  }
  return 0;
}

// Multiplies the number of failures of each step by a random factor from 1 to
// 5, so that different searches put different steps first.
std::vector<uint64_t> VariedFailures(std::vector<uint64_t> failures,
                                     Random* random) {
  for (uint64_t& count : failures) count *= 64 + random->Below(256);
  return failures;
}

}  // namespace

DiversifiedOrders::DiversifiedOrders(const Packing& packing, uint64_t seed,
                                     const PortfolioTuning& tuning)
    : packing_(packing), seed_(seed), tuning_(tuning) {
  std::vector<Level> breadth(packing.steps, 0);
  for (const Item& item : packing.items) {
    for (uint32_t s = item.begin; s < item.end; ++s) breadth[s] += item.size;
  }
  for (const Item& item : packing.items) {
    Level max = 0;
    Level sum = 0;
    for (uint32_t s = item.begin; s < item.end; ++s) {
      max = std::max(max, breadth[s]);
      sum += breadth[s] / packing.steps;
    }
    congestion_.push_back(max);
    load_.push_back(sum);
  }
}

DiversifiedOrders::Kind DiversifiedOrders::KindOf(uint64_t index,
                                                  Random* random) const {
  if (index < kPlain) return {index, false};
  Kind kind;
  kind.plain = random->Below(tuning_.static_period) == 0
                   ? kStatic[random->Below(std::size(kStatic))]
                   : kByLoad[random->Below(std::size(kByLoad))];
  kind.by_failures = tuning_.failures_period != 0 &&
                     random->Below(tuning_.failures_period) == 0;
  return kind;
}

std::string DiversifiedOrders::NameOf(uint64_t index) const {
  Random random(SeedOf(seed_, index));
  const Kind kind = KindOf(index, &random);
  const Family& family = kPlainFamilies[kind.plain];
  std::string name = kind.by_failures ? "failures"
                     : family.by_load ? "load"
                                      : "";
  for (const Key key : family.keys) {
    StrAppend(&name, name.empty() ? "" : "-", KeyName(key));
  }
  if (index >= kPlain) StrAppend(&name, ", neighbour ", index - kPlain);
  return name;
}

SearchOrder DiversifiedOrders::Order(
    uint64_t index, const std::vector<uint64_t>& failures) const {
  Random random(SeedOf(seed_, index));
  const Kind kind = KindOf(index, &random);
  const Family& family = kPlainFamilies[kind.plain];
  const uint64_t factors = index < kPlain ? 1 : tuning_.neighbour_factors;
  const std::vector<uint64_t> weights = kind.by_failures
                                            ? VariedFailures(failures, &random)
                                            : std::vector<uint64_t>();
  std::vector<std::array<uint128, 4>> values(packing_.items.size());
  for (uint32_t i = 0; i < values.size(); ++i) {
    const Item& item = packing_.items[i];
    if (kind.by_failures) {
      values[i][0] = *std::max_element(weights.begin() + item.begin,
                                       weights.begin() + item.end);
    }
    for (size_t k = 0; k < family.keys.size(); ++k) {
      values[i][k + 1] =
          ValueOf(family.keys[k], item, congestion_[i], load_[i]);
    }
    values[i][family.varied + 1] *=
        tuning_.neighbour_factors * 100 / family.percent +
        random.Below(factors);
  }
  SearchOrder order;
  order.by_load = family.by_load && !kind.by_failures;
  order.items = MovableItems(packing_);
  std::sort(order.items.begin(), order.items.end(),
            [&](uint32_t a, uint32_t b) {
              return values[a] != values[b] ? values[a] > values[b] : a < b;
            });
  return order;
}

}  // namespace stowage::optimal
