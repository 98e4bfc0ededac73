// SPDX-License-Identifier: Apache-2.0
// Follows the branches of a ClassSearch, for a log of what it proves. To learn
// only whether the search is complete, see what ClassSearch::Run returns.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CLASS_OBSERVER_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CLASS_OBSERVER_H_

#include <cstddef>
#include <cstdint>

#include "optimal/chain_weights.h"

namespace stowage::optimal {

// What happens at the node that is open: at first the root. A node that is
// split is given up with its second half; then the next half that is left is
// open. A call per node at most, so a search without an observer is not slowed
// down.
class ClassObserver {
 public:
  virtual ~ClassObserver() = default;

  // The node is split: from class `first` on there are at most `count` objects,
  // or more.
  virtual void OnCounts(uint32_t first, size_t count, bool is_fewer_first) = 0;

  // The node is split: first the item has class `k` or a larger one, then a
  // smaller one.
  virtual void OnClasses(uint32_t item, uint32_t k) = 0;

  // The node is given up, since no plan of it is below the limit; the bound
  // proves it. It is not the root.
  virtual void OnBound(const ClassNode& node, const ChainBound& bound) = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CLASS_OBSERVER_H_
