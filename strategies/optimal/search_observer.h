// SPDX-License-Identifier: Apache-2.0
// Follows a PackingSearch node by node, for a log of what it proves. To learn
// only the outcome of a search, read its state.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_SEARCH_OBSERVER_H_
#define STOWAGE_STRATEGIES_OPTIMAL_SEARCH_OBSERVER_H_

#include <cstdint>

#include "optimal/packing.h"

namespace stowage::optimal {

// What happens at the node that is open: at first the root. Each node is either
// given up at once, or split, or its candidates are placed one after the other.
// A call per node at most, so a search without an observer is not slowed down.
class SearchObserver {
 public:
  virtual ~SearchObserver() = default;

  // The item of this record is placed at its floor, and that is open now.
  virtual void OnPlaced(uint32_t record) = 0;

  // All candidates of the open node have been placed, each in vain: it is given
  // up.
  virtual void OnExhausted() = 0;

  // A node was split, and the part of it with this record is open now; if that
  // is given up, so is the node. `split` is how deep the node lies. Open parts
  // of it, and of nodes further down, have been packed, which proves nothing:
  // they are left.
  virtual void OnPart(uint32_t record, uint32_t split) = 0;

  // The open node is given up: what cannot lie below a level does not fit above
  // it at a step.
  virtual void OnFull(uint32_t step, Level level) = 0;

  // The open node is given up: the item of this record was passed at its floor,
  // and nothing that is left can get under it.
  virtual void OnStuck(uint32_t record) = 0;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_SEARCH_OBSERVER_H_
