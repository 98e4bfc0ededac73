// SPDX-License-Identifier: Apache-2.0
// Follows the branches of a ClassSearch, in order to write a log of what the
// search proves. If only the outcome is needed, use the result of
// ClassSearch::Run.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_OBSERVER_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_OBSERVER_H_

#include <cstddef>
#include <cstdint>

#include "optimal/objects/chain_weights.h"

namespace stowage::optimal {

// Receives the events at the open node, which is initially the root. When a
// node is split, its first half becomes the open node. When the first half is
// given up, the second half becomes the open node. When the second half is
// given up, the node that was split is given up as well. The search makes at
// most one call per node, and a search without an observer is not slowed down.
class ClassObserver {
 public:
  virtual ~ClassObserver() = default;

  // The node is split by the number of objects in class `first` and all larger
  // classes: at most `count` in one half, and more in the other half. If
  // `is_fewer_first`, the half with fewer objects is the first one.
  virtual void OnCounts(uint32_t first, size_t count, bool is_fewer_first) = 0;

  // The node is split by the class of the item: class `k` or larger in the
  // first half, and smaller in the second half.
  virtual void OnClasses(uint32_t item, uint32_t k) = 0;

  // The node is given up, because `bound` proves that it has no plan below the
  // limit. The node is never the root.
  virtual void OnBound(const ClassNode& node, const ChainBound& bound) = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_OBSERVER_H_
