// SPDX-License-Identifier: Apache-2.0
// Lower bounds of shared objects in whole numbers, from prices that need not be
// exact: what a linear program claims counts only once it has come through
// here.
//
// The prices become whole weights of the items, and the scale is the least for
// which no chain of a class weighs more than its size allows (ChainWeights,
// solution.h). So every price proves something, and good ones much.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CHAIN_WEIGHTS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CHAIN_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "optimal/class_model.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

// That a search has restricted the objects: from class `first` on there are at
// least `least` and at most `most`.
struct ClassCount {
  uint32_t first = 0;
  size_t least = 0;
  size_t most = 0;
};

// What a bound holds for: items with these classes, and these counts.
struct ClassNode {
  std::vector<ClassRange> ranges;  // not empty
  std::vector<ClassCount> counts;
  bool is_root = true;  // no counts, and all ranges of the model
};

// Prices, in bytes: of the items, and of one object more in each count, which
// is above 0 if it is at its least and below 0 if it is at its most.
struct ClassPrices {
  std::vector<double> items;
  std::vector<double> counts;
};

// Weights that prove a bound of a node. With counts, chains weigh as much less
// in the classes that the count counts as it costs, and the sum of all weights
// is that of the counts, too: at their least if they cost more than 0, else at
// their most (docs/certificates.md).
struct ChainBound {
  size_t bytes = 0;               // no plan of the node is smaller
  std::vector<uint64_t> weights;  // of each item
  std::vector<int64_t> counts;    // what each count costs
  uint64_t scale = 1;
};

// The largest scale whose weights cannot overflow, at least 1. O(n).
uint64_t MostScale(const ClassModel& model);

// The bound of one scale, roughly: weights are the prices times that, rounded
// down. It is 0 bytes if the signal is set before it is proved. Requires a
// scale of at most MostScale. O(n * classes).
ChainBound BoundOfPrices(const ClassModel& model, const ClassNode& node,
                         const ClassPrices& prices, uint64_t scale,
                         const StopSignal& stop = StopSignal());

// The best bound of some scales, the smallest of equal ones first, and at least
// of the first where the signal is set. O(n * classes) for each.
ChainBound BestBoundOfPrices(const ClassModel& model, const ClassNode& node,
                             const ClassPrices& prices,
                             const StopSignal& stop = StopSignal());

// The bound of the first scale that reaches `wanted` bytes, if there is one.
// O(n * classes) for each.
absl::optional<ChainBound> FirstBoundOfPrices(const ClassModel& model,
                                              const ClassNode& node,
                                              const ClassPrices& prices,
                                              size_t wanted);

// The bound of items whose class is known: what the classes cost.
// O(cliques * classes + the sum of the cliques).
ChainBound BoundOfClasses(const ClassModel& model,
                          absl::Span<const uint32_t> classes);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CHAIN_WEIGHTS_H_
