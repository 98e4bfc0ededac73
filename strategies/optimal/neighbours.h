// Which items of a packing live at the same time.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_NEIGHBOURS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_NEIGHBOURS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/packing.h"

namespace stowage::optimal {

// The items by step of birth, and at some steps a list of all that is alive:
// so far apart that all lists together are no longer than the packing, and so
// close that a list and the births since then are seldom much longer than what
// is alive.
class Neighbours {
 public:
  // The packing must outlive the object. O(n log n) time, O(n) memory.
  explicit Neighbours(const Packing& packing);

  // No fewer than Of finds, and seldom much more. O(log n).
  size_t CountAtMost(uint32_t item) const;

  // Sets `found` to all items that share a step with an item, without it.
  void Of(uint32_t item, std::vector<uint32_t>* found) const;

 private:
  struct Checkpoint {
    uint32_t step;
    size_t born;         // in by_begin_: the first that is born here or later
    size_t alive_begin;  // in alive_
    size_t alive_end;
  };

  const Checkpoint& Before(uint32_t step) const;

  const Packing& packing_;
  std::vector<uint32_t> by_begin_;
  std::vector<Checkpoint> checkpoints_;
  std::vector<uint32_t> alive_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_NEIGHBOURS_H_
