// SPDX-License-Identifier: Apache-2.0
// Lower bounds of shared objects for items too many for one linear program:
// what ObjectsSearch does where ClassSearch would not fit.
//
// A size is cut at some level: every plan is at least as large as one for the
// parts below the level and one for the parts above it together. Below, the
// positional maximums bound; above are few items, and a kernel of fewer, which
// a linear program bounds. Prices of both add up to prices of the whole, and
// these are what counts (chain_weights.h).
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_BANDS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_BANDS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "optimal/chain_weights.h"
#include "optimal/objects_kernel.h"
#include "src/core/linear_program.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

struct BandsOptions {
  size_t most_shares = 0;            // of items in classes, in a linear program
  const StopSignal* stop = nullptr;  // not owned, not null
  uint64_t* nodes_left = nullptr;    // pivots; not owned, not null
  // Called with every bound: weights are those of the items listed, which rise.
  // Returns whether a better one is of interest.
  std::function<bool(const ChainBound&, absl::Span<const uint32_t>)> on_bound;
};

// Bounds the items, which live within `steps` steps, by bands above lower and
// lower levels, until a linear program would be too large or the limits end it.
// Requires that a solver is linked. O(n * sizes) for a level, and the program.
void BoundByBands(absl::Span<const ObjectItem> items, uint32_t steps,
                  const BandsOptions& options);

// Prices of the items, in bytes, that prove the positional maximums of their
// parts below `level`. O(n * sizes below the level).
std::vector<double> PositionalPrices(absl::Span<const ObjectItem> items,
                                     uint32_t steps, size_t level,
                                     const StopSignal& stop);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_BANDS_H_
