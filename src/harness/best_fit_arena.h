// Allocations in one arena, each alive for an interval of nodes, placed one
// after the other by best fit as TensorFlow Lite's SimpleMemoryArena does.
#ifndef STOWAGE_SRC_HARNESS_BEST_FIT_ARENA_H_
#define STOWAGE_SRC_HARNESS_BEST_FIT_ARENA_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"

namespace stowage::harness {

class BestFitArena {
 public:
  explicit BestFitArena(size_t alignment) : alignment_(alignment) {}

  // Makes known what lies somewhere already; `first` and `last` are inclusive.
  // Error: OutOfRange if its end passes 2^64 - 1.
  absl::Status Add(size_t offset, size_t bytes, size_t first, size_t last);

  // Finds the place of a new one, and adds it; what has no bytes goes to 0 and
  // is not added. Nullopt if there is no place below 2^64. O(allocations).
  absl::optional<size_t> Place(size_t bytes, size_t first, size_t last);

  size_t high_water_mark() const { return high_water_mark_; }

 private:
  struct Allocation {
    size_t offset;
    size_t end;
    size_t first;
    size_t last;
  };

  size_t alignment_;
  std::vector<Allocation> allocations_;  // by offset
  size_t high_water_mark_ = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_BEST_FIT_ARENA_H_
