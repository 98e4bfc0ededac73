// SPDX-License-Identifier: Apache-2.0
// Follows a PackingSearch node by node, in order to write a log of what the
// search proves. If only the outcome of a search is needed, use
// PackingSearch::state.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_EXACT_SEARCH_OBSERVER_H_
#define STOWAGE_STRATEGIES_OPTIMAL_EXACT_SEARCH_OBSERVER_H_

#include <cstdint>

#include "optimal/exact/packing.h"

namespace stowage::optimal {

// Receives the events at the open node, which is initially the root. Each node
// is either given up at once, or split into parts, or its candidates are placed
// one after the other. The search makes at most one call per node, and a search
// without an observer is not slowed down.
class SearchObserver {
 public:
  virtual ~SearchObserver() = default;

  // The item of this record was placed at its lowest feasible level. The
  // resulting node is now the open node.
  virtual void OnPlaced(uint32_t record) = 0;

  // All candidates of the open node have been placed without success, so the
  // node is given up.
  virtual void OnExhausted() = 0;

  // The part that contains this record is now open. The node that was split
  // into this part and others is at depth `split`, and is given up as soon as
  // the part is given up. Another part of this node, or a part of a deeper
  // node, may still be open, because all its items were placed. Since this
  // proves nothing, the still open part is abandoned.
  virtual void OnPart(uint32_t record, uint32_t split) = 0;

  // The open node is given up because, at this step, the items that cannot be
  // below `level` do not fit above it.
  virtual void OnFull(uint32_t step, Level level) = 0;

  // The open node is given up because the item of this record was passed at its
  // lowest feasible level, and no remaining item can be placed under it.
  virtual void OnStuck(uint32_t record) = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_EXACT_SEARCH_OBSERVER_H_
