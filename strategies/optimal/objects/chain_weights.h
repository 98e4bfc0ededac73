// SPDX-License-Identifier: Apache-2.0
// Turns the prices of a linear program into lower bounds on the total size of
// shared objects. The prices need not be exact, but the bounds are proved in
// integers. A claim of the linear program counts only after it has passed
// through these functions.
//
// The prices are rounded to integer weights of the items, which are divided by
// one number, the scale. The scale is the least number for which no chain of a
// class weighs more than the scale times the size of the class (ChainWeights,
// solution.h). Such a number exists for any prices. Therefore any prices prove
// some bound, and good prices prove a good one.
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

// A restriction that a search has put on the number of objects: class `first`
// and all larger classes together have at least `least` and at most `max`
// objects.
struct ClassCount {
  uint32_t first = 0;
  size_t least = 0;
  size_t max = 0;
};

// Describes a node of the search. `ranges` restricts the classes of each item,
// and `counts` restricts numbers of objects.
struct ClassNode {
  std::vector<ClassRange> ranges;  // is not empty
  std::vector<ClassCount> counts;
  // True if there are no counts and all ranges are those of the model.
  bool is_root = true;
};

// Prices in bytes. `items` has one price for each item. `counts` has one price
// for each count: the price of one more object. The price of a count is above 0
// if the number of objects is `least`, and below 0 if it is `max`.
struct ClassPrices {
  std::vector<double> items;
  std::vector<double> counts;
};

// Weights that prove a lower bound of a node. If the node has counts, their
// prices matter in two ways (docs/certificates.md). First, the price of every
// count that covers a class is subtracted from the weight that a chain of this
// class may have. Second, the sum of all weights includes the price of each
// count, multiplied by `least` if the price is above 0, else by `max`.
struct ChainBound {
  size_t bytes = 0;               // no plan of the node is smaller
  std::vector<uint64_t> weights;  // is indexed by item
  std::vector<int64_t> counts;    // the price of each count
  uint64_t scale = 1;
};

// Returns the largest scale, but at least 1, at which no weight overflows.
// O(n).
uint64_t MaxScale(const ClassModel& model);

// Returns the bound that the prices prove at one scale. The weight of an item
// is about its price times `scale`, rounded down; the weights may then be
// reduced further, if a chain would otherwise need a much larger scale. If the
// signal is set before the bound is proved, the bound is 0 bytes. Requires a
// `scale` of at most MaxScale. O(n * classes).
ChainBound BoundOfPrices(const ClassModel& model, const ClassNode& node,
                         const ClassPrices& prices, uint64_t scale,
                         const StopSignal& stop = StopSignal());

// Returns the best bound of several scales, and on ties the bound of the
// smallest scale. Once the signal is set, tries no scale after the first one.
// O(n * classes) for each scale.
ChainBound BestBoundOfPrices(const ClassModel& model, const ClassNode& node,
                             const ClassPrices& prices,
                             const StopSignal& stop = StopSignal());

// Tries the scales one after the other. Returns the first bound of at least
// `wanted` bytes, or nothing if no scale gives such a bound. O(n * classes) for
// each scale.
optional<ChainBound> FirstBoundOfPrices(const ClassModel& model,
                                        const ClassNode& node,
                                        const ClassPrices& prices,
                                        size_t wanted);

// Returns weights for items that are fixed to these classes. The weights prove
// that no plan is smaller than the total of the classes. O(cliques * classes +
// the sum of the cliques).
ChainBound BoundOfClasses(const ClassModel& model,
                          Span<const uint32_t> classes);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CHAIN_WEIGHTS_H_
