// SPDX-License-Identifier: Apache-2.0
// Turns the prices of a linear program into lower bounds on the total size of
// shared objects. The prices may be inexact, because the bounds are proved in
// integers. No result of the linear program is trusted until it has passed
// through these functions.
//
// The prices are rounded to integer weights of the items, which are divided by
// a common number, the scale. The scale is the smallest number such that no
// chain of a class weighs more than the scale times the size of the class
// (ChainWeights, solution.h). Such a number exists for any prices, so any
// prices prove some bound, and good prices prove a good one.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CHAIN_WEIGHTS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CHAIN_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/objects/class_model.h"
#include "src/base/work_limit.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::optimal {

// A restriction of the number of objects, made by a search: class `first` and
// all larger classes together have at least `least` and at most `max` objects.
struct ClassCount {
  uint32_t first = 0;
  size_t least = 0;
  size_t max = 0;
};

// A node of the search. `ranges` restricts the classes of each item, and
// `counts` restricts the numbers of objects.
struct ClassNode {
  std::vector<ClassRange> ranges;  // is not empty
  std::vector<ClassCount> counts;
  // True if there are no counts and all ranges are those of the model.
  bool is_root = true;
};

// Prices in bytes: `items` has the price of each item, and `counts` has, for
// each count, the price of one more object. The price of a count is above 0
// only if the number of objects is `least`, and below 0 only if it is `max`.
struct ClassPrices {
  std::vector<double> items;
  std::vector<double> counts;
};

// Weights that prove a lower bound for a node. If the node has counts, each
// count has a price, which enters the proof twice (docs/certificates.md).
// First, the maximum weight of a chain of a class is reduced by the prices of
// all counts that cover the class. Second, each count adds a term to the sum of
// the weights: its price times its `least` if the price is above 0, and its
// price times its `max` otherwise.
struct ChainBound {
  size_t bytes = 0;               // no plan of the node is smaller
  std::vector<uint64_t> weights;  // is indexed by item
  std::vector<int64_t> counts;    // the price of each count
  uint64_t scale = 1;
};

// Returns the largest scale at which no weight overflows, but at least 1. O(n).
uint64_t MaxScale(const ClassModel& model);

// Returns the bound that the prices prove at one scale. The weight of an item
// is about its price times `scale`, rounded down. The weights are reduced
// further if a chain would otherwise need a much larger scale. If the signal is
// set before the bound is proved, the bound is 0 bytes. Requires that `scale`
// is at most MaxScale. O(n * classes).
ChainBound BoundOfPrices(const ClassModel& model, const ClassNode& node,
                         const ClassPrices& prices, uint64_t scale,
                         const StopSignal& stop = StopSignal());

// Returns the best bound of several scales, and on ties the bound of the
// smallest scale. Tries only the first scale if the signal is set. O(n *
// classes) for each scale.
ChainBound BestBoundOfPrices(const ClassModel& model, const ClassNode& node,
                             const ClassPrices& prices,
                             const StopSignal& stop = StopSignal());

// Tries the scales one after the other. Returns the first bound of at least
// `wanted` bytes, or nullopt if no scale yields such a bound. O(n * classes)
// for each scale.
optional<ChainBound> FirstBoundOfPrices(const ClassModel& model,
                                        const ClassNode& node,
                                        const ClassPrices& prices,
                                        size_t wanted);

// Returns weights for items that are fixed to these classes. The weights prove
// that no plan is smaller than the total of the classes. O(cliques * classes +
// sum of the sizes of the cliques).
ChainBound BoundOfClasses(const ClassModel& model,
                          Span<const uint32_t> classes);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CHAIN_WEIGHTS_H_
