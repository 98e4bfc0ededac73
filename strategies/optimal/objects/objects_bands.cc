// SPDX-License-Identifier: Apache-2.0
#include "optimal/objects/objects_bands.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "optimal/objects/class_model.h"
#include "optimal/objects/class_program.h"
#include "src/base/sort_until.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::optimal {
namespace {

// The scale of the weights of a band, which is fine enough for the sizes that
// occur in practice.
constexpr uint64_t kBandScale = uint64_t{1} << 20;

// The number of items in the first band. Each further band has twice as many
// items.
constexpr size_t kFirstBand = 500;

// The time reserved for proving a bound in integers.
constexpr std::chrono::milliseconds kTimeToOffer{10};

// Returns the step at which the most items of `some` are live. On ties, returns
// the first such step.
uint32_t DeepestStep(Span<const ObjectItem> items, Span<const uint32_t> some,
                     std::vector<int32_t>* depths) {
  std::fill(depths->begin(), depths->end(), 0);
  for (const uint32_t i : some) {
    ++(*depths)[items[i].life.begin];
    --(*depths)[items[i].life.end];
  }
  uint32_t deepest = 0;
  for (uint32_t step = 1; step < depths->size(); ++step) {
    (*depths)[step] += (*depths)[step - 1];
    if ((*depths)[step] > (*depths)[deepest]) deepest = step;
  }
  return deepest;
}

// Returns the items by decreasing size, or an empty list if the signal is set.
std::vector<uint32_t> LargestFirst(const StopSignal& stop,
                                   Span<const ObjectItem> items) {
  std::vector<uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  const auto is_larger = [&](uint32_t a, uint32_t b) {
    return items[a].size != items[b].size ? items[a].size > items[b].size
                                          : a < b;
  };
  if (!SortUntil(stop, is_larger, &order)) order.clear();
  return order;
}

// Proves a bound for the items with a price above 0, which is also a bound for
// all items. Passes the bound to options.on_bound. Returns whether a better
// bound is still wanted.
bool OfferBound(Span<const ObjectItem> items, const std::vector<double>& prices,
                const BandsOptions& options) {
  std::vector<uint32_t> priced;
  ClassPrices their;
  for (uint32_t i = 0; i < items.size(); ++i) {
    if (!(prices[i] > 0)) continue;
    priced.push_back(i);
    their.items.push_back(prices[i]);
  }
  if (priced.empty()) return true;
  const optional<ClassModel> model =
      BuildClassModelUntil(*options.stop, items, priced);
  if (!model) return false;
  const ClassNode root = {model->ranges, {}, true};
  const uint64_t scale = std::min(kBandScale, MaxScale(*model));
  return options.on_bound(
      BoundOfPrices(*model, root, their, scale, *options.stop), priced);
}

// The upper parts of the `count` largest items, which are the parts above a
// level. The level is the size of the largest other item.
class Band {
 public:
  Band(Span<const ObjectItem> items, Span<const uint32_t> order, size_t count)
      : level_(count < order.size() ? items[order[count]].size : 0) {
    for (const uint32_t i : order.first(count)) {
      if (items[i].size <= level_) break;
      indices_.push_back(i);
      parts_.push_back({items[i].size - level_, items[i].life});
    }
  }

  size_t level() const { return level_; }

  // Adds the prices of the parts. Returns false if the program of the parts
  // would be too large, or if the program was stopped by the limits.
  bool AddPrices(uint32_t steps, const BandsOptions& options,
                 std::vector<double>* prices) const {
    if (parts_.empty()) return true;
    const ObjectsKernel kernel = FindKernel(parts_, steps, *options.stop);
    const optional<size_t> shares =
        SharesUntil(*options.stop, parts_, kernel.kept);
    if (!shares || *shares > options.max_shares ||
        options.stop->IsSetWithin(TimeToMakeProgram(*shares))) {
      return false;
    }
    const optional<ClassModel> model =
        BuildClassModelUntil(*options.stop, parts_, kernel.kept);
    if (!model) return false;
    ClassProgram program(*model, CreateLinearProgram());
    const ClassNode root = {model->ranges, {}, true};
    const ClassProgram::Outcome outcome =
        program.Solve(root, std::numeric_limits<size_t>::max(), *options.stop,
                      options.nodes_left);
    const ChainBound bound = program.BestBound(root, *options.stop);
    if (bound.bytes == 0) return false;
    for (size_t k = 0; k < bound.weights.size(); ++k) {
      (*prices)[indices_[kernel.kept[k]]] +=
          static_cast<double>(bound.weights[k]) /
          static_cast<double>(bound.scale);
    }
    return outcome == ClassProgram::Outcome::kOptimal;
  }

 private:
  size_t level_;
  std::vector<uint32_t> indices_;  // the items that have parts
  std::vector<ObjectItem> parts_;
};

}  // namespace

// For each distinct size, cut to at most `level`, finds the step at which the
// most items of at least that size are live, and adds the difference between
// this size and the next smaller one to the prices of these items. Because
// these items are all live at one step, a chain contains at most one of them,
// so the price of a chain rises at most once for each size.
std::vector<double> PositionalPrices(Span<const ObjectItem> items,
                                     uint32_t steps, size_t level,
                                     const StopSignal& stop) {
  std::vector<double> prices(items.size(), 0);
  const std::vector<uint32_t> order = LargestFirst(stop, items);
  std::vector<int32_t> depths(steps + 1);
  for (size_t end = 0; end < order.size();) {
    const size_t size = items[order[end]].size;
    while (end < order.size() && items[order[end]].size == size) ++end;
    const size_t next = end < order.size() ? items[order[end]].size : 0;
    if (next >= level) continue;
    if (stop.IsSet()) break;
    const auto worth = static_cast<double>(std::min(size, level) - next);
    const auto larger = MakeConstSpan(order).first(end);
    const uint32_t step = DeepestStep(items, larger, &depths);
    for (const uint32_t i : larger) {
      const StepInterval life = items[i].life;
      if (life.begin <= step && step < life.end) prices[i] += worth;
    }
  }
  return prices;
}

void BoundByBands(Span<const ObjectItem> items, uint32_t steps,
                  const BandsOptions& options) {
  const std::vector<uint32_t> order = LargestFirst(*options.stop, items);
  if (order.empty()) return;
  // Stops the programs early, so that there is time to prove a bound from the
  // prices found so far.
  BandsOptions early = options;
  StopSignal stop = *options.stop;
  if (stop.deadline) *stop.deadline -= kTimeToOffer;
  early.stop = &stop;
  for (size_t count = kFirstBand; count < items.size(); count *= 2) {
    const Band band(items, order, count);
    std::vector<double> prices =
        PositionalPrices(items, steps, band.level(), stop);
    const bool goes_on = band.AddPrices(steps, early, &prices);
    if (!OfferBound(items, prices, options)) return;
    if (!goes_on || stop.IsSet()) return;
  }
}

}  // namespace stowage::optimal
