// SPDX-License-Identifier: Apache-2.0
#include "optimal/objects/chain_weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "src/base/int128.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::optimal {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

// The maximum sum of all weights.
constexpr uint64_t kMaxSum = kMax / 4;

// The scales to try. The prices at a vertex of the linear program are fractions
// with small denominators. Usually one of the small scales is a common multiple
// of these denominators, and turns all prices into integers. The powers of two
// are for all other prices.
constexpr uint64_t kScales[] = {1,
                                2,
                                3,
                                4,
                                6,
                                12,
                                60,
                                840,
                                uint64_t{1} << 16,
                                uint64_t{1} << 24,
                                uint64_t{1} << 32};

// Returns the product of the price and the scale, rounded down, but at most
// `max`. If the product is below an integer only by a floating-point error, it
// is rounded to that integer.
uint64_t WeightOf(double price, uint64_t scale, uint64_t max) {
  constexpr double kError = 1e-6;
  const double weight = price * static_cast<double>(scale) + kError;
  if (!(weight >= 1)) return 0;
  return weight >= static_cast<double>(max) ? max
                                            : static_cast<uint64_t>(weight);
}

int64_t WeightOfCount(double price, uint64_t scale) {
  constexpr double kMaxWeight = 4e18;
  const double weight = price * static_cast<double>(scale);
  if (std::isnan(weight)) return 0;
  return std::llround(std::clamp(weight, -kMaxWeight, kMaxWeight));
}

// Returns the weight of the heaviest chain of items that may have class `k`.
// `before` is scratch memory.
uint64_t HeaviestChain(const ClassModel& model, const ClassNode& node,
                       uint32_t k, const std::vector<uint64_t>& weights,
                       std::vector<uint64_t>* before) {
  const auto is_in = [&](uint32_t i) {
    return node.ranges[i].first <= k && k < node.ranges[i].end;
  };
  uint64_t heaviest = 0;  // the weight of a chain of items that have ended
  size_t next = 0;
  const auto end_until = [&](uint32_t clique) {
    for (; next < model.by_end.size(); ++next) {
      const uint32_t i = model.by_end[next];
      if (model.lives[i].end > clique) return;
      if (is_in(i)) heaviest = std::max(heaviest, (*before)[i] + weights[i]);
    }
  };
  for (const uint32_t i : model.by_begin) {
    end_until(model.lives[i].begin);
    (*before)[i] = heaviest;
  }
  end_until(static_cast<uint32_t>(model.cliques.size()));
  return heaviest;
}

// The weight of the heaviest chain of a class.
struct Load {
  uint128 weight = 0;
  size_t size = 1;  // the size of the class
};

// Returns the smallest scale such that, for each class, the weight of any chain
// of the class plus the prices of the counts that cover the class is at most
// the scale times the size of the class. Returns 0 if that scale would cause
// overflows, or if the signal is set. If `heaviest` is not null, sets it to the
// chain that is heaviest relative to the size of its class. Requires that
// `heaviest` is null if there are counts, since products of the weight of this
// chain might overflow.
uint64_t ScaleOf(const ClassModel& model, const ClassNode& node,
                 const std::vector<uint64_t>& weights,
                 const std::vector<int64_t>& counts, const StopSignal& stop,
                 Load* heaviest) {
  std::vector<uint64_t> before(weights.size());
  int128 scale = 1;
  for (uint32_t k = 0; k < model.sizes.size(); ++k) {
    if (stop.IsSet()) return 0;
    int128 load = HeaviestChain(model, node, k, weights, &before);
    for (size_t c = 0; c < counts.size(); ++c) {
      if (node.counts[c].first <= k) load += counts[c];
    }
    const int128 size = model.sizes[k];
    if (load > size * scale) scale = (load - 1) / size + 1;
    if (heaviest != nullptr &&
        uint128(load) * heaviest->size > heaviest->weight * uint128(size)) {
      *heaviest = {uint128(load), model.sizes[k]};
    }
  }
  return scale > int128(kMax / model.sizes.back())
             ? 0
             : static_cast<uint64_t>(scale);
}

// Returns whether `needed` exceeds `scale` by so much that the bound would
// become noticeably worse. A loss of at most 1/4096 does not count.
bool IsMuchAbove(uint64_t needed, uint64_t scale) {
  constexpr uint64_t kPart = 4096;
  return needed > scale && needed - scale > scale / kPart;
}

// Reduces all weights proportionally, such that no chain of a class weighs more
// than `scale` times the size of the class. Requires that `heaviest` is the
// heaviest chain relative to the size of its class. Returns the sum of the
// reduced weights.
int128 LightenTo(uint64_t scale, const Load& heaviest,
                 std::vector<uint64_t>* weights) {
  const uint128 allowed = uint128(scale) * uint128(heaviest.size);
  int128 sum = 0;
  for (uint64_t& weight : *weights) {
    weight = static_cast<uint64_t>(uint128(weight) * allowed / heaviest.weight);
    sum += weight;
  }
  return sum;
}

// Returns a common divisor of the totals of all plans of the node.
size_t DivisorOf(const ClassModel& model, const ClassNode& node,
                 const std::vector<uint64_t>& weights) {
  size_t divisor = 0;
  if (!node.is_root) {
    for (const size_t size : model.sizes) divisor = std::gcd(divisor, size);
    return divisor;
  }
  // Only the sizes of items with a weight matter, since the bound would hold
  // even without the other items.
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    divisor = std::gcd(divisor, model.sizes[model.ranges[i].first]);
  }
  return divisor;
}

}  // namespace

uint64_t MaxScale(const ClassModel& model) {
  const uint64_t max_weight = kMaxSum / model.lives.size();
  return std::max(max_weight / model.sizes.back(), uint64_t{1});
}

ChainBound BoundOfPrices(const ClassModel& model, const ClassNode& node,
                         const ClassPrices& prices, uint64_t scale,
                         const StopSignal& stop) {
  ChainBound bound;
  bound.weights.resize(model.lives.size());
  int128 sum = 0;
  for (size_t i = 0; i < bound.weights.size(); ++i) {
    // No item is worth more than its size at the root, so the weight of an item
    // is limited to its size times the scale. The sum of all sizes fits 64
    // bits.
    const uint64_t max = node.is_root
                             ? model.sizes[model.ranges[i].first] * scale
                             : kMaxSum / model.lives.size();
    bound.weights[i] = WeightOf(prices.items[i], scale, max);
    sum += bound.weights[i];
  }
  std::vector<int64_t>& counts = bound.counts;
  counts.resize(node.counts.size());
  for (size_t c = 0; c < counts.size(); ++c) {
    counts[c] = WeightOfCount(prices.counts[c], scale);
    sum += int128(counts[c]) *
           int128(counts[c] > 0 ? node.counts[c].least : node.counts[c].max);
  }
  Load heaviest;
  bound.scale = ScaleOf(model, node, bound.weights, counts, stop,
                        counts.empty() ? &heaviest : nullptr);
  if (counts.empty() && IsMuchAbove(bound.scale, scale)) {
    sum = LightenTo(scale, heaviest, &bound.weights);
    bound.scale = ScaleOf(model, node, bound.weights, counts, stop, nullptr);
  }
  if (bound.scale == 0 || sum <= 0) return bound;
  const size_t divisor = DivisorOf(model, node, bound.weights);
  const int128 unit = int128(bound.scale) * int128(divisor);
  const int128 bytes = ((sum - 1) / unit + 1) * int128(divisor);
  bound.bytes = static_cast<size_t>(std::min(bytes, int128(kMax)));
  return bound;
}

ChainBound BestBoundOfPrices(const ClassModel& model, const ClassNode& node,
                             const ClassPrices& prices,
                             const StopSignal& stop) {
  const uint64_t max = MaxScale(model);
  ChainBound best;
  for (const uint64_t scale : kScales) {
    if (scale > max || (!best.weights.empty() && stop.IsSet())) break;
    ChainBound bound = BoundOfPrices(model, node, prices, scale);
    if (best.weights.empty() || bound.bytes > best.bytes) {
      best = std::move(bound);
    }
  }
  return best;
}

optional<ChainBound> FirstBoundOfPrices(const ClassModel& model,
                                        const ClassNode& node,
                                        const ClassPrices& prices,
                                        size_t wanted) {
  const uint64_t max = MaxScale(model);
  for (const uint64_t scale : kScales) {
    if (scale > max) break;
    ChainBound bound = BoundOfPrices(model, node, prices, scale);
    if (bound.bytes >= wanted) return bound;
  }
  return nullopt;
}

// Gives each item of the deepest clique of its class the size of the class as
// its weight. On ties, the first clique counts as the deepest.
ChainBound BoundOfClasses(const ClassModel& model,
                          Span<const uint32_t> classes) {
  std::vector<size_t> depths(model.sizes.size(), 0);
  std::vector<size_t> deepest(model.sizes.size(), 0);
  for (size_t c = 0; c < model.cliques.size(); ++c) {
    std::vector<size_t> counts(model.sizes.size(), 0);
    for (const uint32_t i : model.cliques[c]) {
      const uint32_t k = classes[i];
      if (++counts[k] <= depths[k]) continue;
      depths[k] = counts[k];
      deepest[k] = c;
    }
  }
  ChainBound bound;
  bound.weights.resize(classes.size());
  uint128 sum = 0;
  for (size_t i = 0; i < classes.size(); ++i) {
    const uint32_t k = classes[i];
    const size_t c = deepest[k];
    if (c < model.lives[i].begin || c >= model.lives[i].end) continue;
    bound.weights[i] = model.sizes[k];
    sum += model.sizes[k];
  }
  bound.bytes = static_cast<size_t>(std::min(sum, uint128(kMax)));
  return bound;
}

}  // namespace stowage::optimal
