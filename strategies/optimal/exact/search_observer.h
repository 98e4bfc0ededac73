// SPDX-License-Identifier: Apache-2.0
// Follows a PackingSearch node by node, in order to write a log of what the
// search proves. To learn only the outcome of a search, use
// PackingSearch::state.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EXACT_SEARCH_OBSERVER_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EXACT_SEARCH_OBSERVER_H_

#include <cstdint>

#include "optimal/exact/packing.h"

namespace stowage::optimal {

// Receives the events at the open node, which is the root at first. Each node
// is given up at once, or split into parts, or its candidates are placed one
// after the other. There is at most one call per node, and a search without an
// observer is not slowed down.
class SearchObserver {
 public:
  virtual ~SearchObserver() = default;

  // The item of this record was placed at its lowest feasible level. The node
  // that results is the open node now.
  virtual void OnPlaced(uint32_t record) = 0;

  // All candidates of the open node have been placed without success: the node
  // is given up.
  virtual void OnExhausted() = 0;

  // The part with this record is open now. The node that was split to make this
  // part is at depth `split`, and is given up as soon as the part is given up.
  // A different part of this node, or a part of a deeper node, may still be
  // open because all its items were placed. That proves nothing, so the still
  // open part is abandoned.
  virtual void OnPart(uint32_t record, uint32_t split) = 0;

  // The open node is given up: at this step, the items that cannot lie below
  // the level do not fit above it.
  virtual void OnFull(uint32_t step, Level level) = 0;

  // The open node is given up: the item of this record was passed at its lowest
  // feasible level, and no remaining item can get under it.
  virtual void OnStuck(uint32_t record) = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EXACT_SEARCH_OBSERVER_H_
