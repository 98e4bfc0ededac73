// SPDX-License-Identifier: Apache-2.0
// Computes lower bounds of shared objects for many items. ObjectsSearch uses
// these bounds before ClassSearch if a linear program for all items would be
// large, and instead of ClassSearch if the program would be too large.
//
// All sizes are cut at some level. The total of a plan is at least the minimum
// total for the parts below the level plus the minimum total for the parts
// above it. The parts below are bounded by the positional maximums. Only few
// items have parts above; the kernel of these parts is even smaller, and is
// bounded by a linear program. The price of an item is the sum of the prices of
// its two parts. Only the prices of whole items prove a bound
// (chain_weights.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_OBJECTS_BANDS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_OBJECTS_BANDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "optimal/objects/chain_weights.h"
#include "optimal/objects/objects_kernel.h"
#include "src/base/work_limit.h"
#include "src/construct/linear_program.h"
#include "stowage/base/span.h"

namespace stowage::optimal {

struct BandsOptions {
  // The maximum number of (item, class) pairs in a linear program.
  size_t max_shares = 0;
  const StopSignal* stop = nullptr;  // is not owned, and must not be null
  // The remaining number of pivots. Not owned; must not be null.
  uint64_t* nodes_left = nullptr;
  // Called with every bound, and with the items that the weights of the bound
  // belong to, in ascending order. Returns whether a better bound is still
  // wanted.
  std::function<bool(const ChainBound&, Span<const uint32_t>)> on_bound;
};

// Computes bounds for the items from bands above a level. Lowers the level
// until a linear program would be too large or the limits are reached. Requires
// that all items live within `steps` steps, and that a solver is linked. O(n *
// sizes) per level, plus the linear program.
void BoundByBands(Span<const ObjectItem> items, uint32_t steps,
                  const BandsOptions& options);

// Returns prices of the items, in bytes. Only the part of an item below `level`
// counts for its price. The bound that the prices prove is the sum of the
// positional maximums of these parts. O(n * sizes below the level).
std::vector<double> PositionalPrices(Span<const ObjectItem> items,
                                     uint32_t steps, size_t level,
                                     const StopSignal& stop);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_OBJECTS_BANDS_H_
