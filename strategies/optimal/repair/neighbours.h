// SPDX-License-Identifier: Apache-2.0
// Finds the items of a packing that share a step with one item, for
// EjectionSearch (ejection_search.h), without a list of all pairs. Strategies
// that place records use ConflictIndex (src/construct/conflict_index.h)
// instead.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_NEIGHBOURS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_NEIGHBOURS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"

namespace stowage::optimal {

// Stores the items by first step, and a list of all live items at some steps,
// which are called checkpoints. To find the items that are live at a step,
// visits the list of the last checkpoint and the items that have begun since
// then. Checkpoints are close enough together that the number of visited items
// is seldom much larger than the number of live items, and far enough apart
// that all lists together have no more entries than the packing has items.
class Neighbours {
 public:
  // The packing must outlive this object. O(n log n) time, O(n) memory.
  explicit Neighbours(const Packing& packing);

  // Returns an upper bound of the number of items that Of finds for `item`. The
  // bound is seldom much larger than the actual number. O(log n).
  size_t CountAtMost(uint32_t item) const;

  // Sets `found` to all items that share a step with `item`, except `item`
  // itself.
  void Of(uint32_t item, std::vector<uint32_t>* found) const;

 private:
  struct Checkpoint {
    uint32_t step;
    // The index in by_begin_ of the first item that begins at the checkpoint or
    // later.
    size_t begun;
    size_t live_begin;  // the range of live_ is [live_begin, live_end)
    size_t live_end;
  };

  const Checkpoint& Before(uint32_t step) const;

  const Packing& packing_;
  std::vector<uint32_t> by_begin_;
  std::vector<Checkpoint> checkpoints_;
  std::vector<uint32_t> live_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_NEIGHBOURS_H_
