#include "src/harness/best_fit_arena.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "stowage/tensor_size.h"

namespace stowage::harness {

absl::Status BestFitArena::Add(size_t offset, size_t bytes, size_t first,
                               size_t last) {
  const absl::optional<size_t> end = CheckedAdd(offset, bytes);
  if (!end) return absl::OutOfRangeError("its end passes 2^64 - 1");
  const Allocation added = {offset, *end, first, last};
  allocations_.insert(
      std::upper_bound(allocations_.begin(), allocations_.end(), added,
                       [](const Allocation& a, const Allocation& b) {
                         return a.offset < b.offset;
                       }),
      added);
  high_water_mark_ = std::max(high_water_mark_, *end);
  return absl::OkStatus();
}

absl::optional<size_t> BestFitArena::Place(size_t bytes, size_t first,
                                           size_t last) {
  if (bytes == 0) return 0;
  absl::optional<size_t> best;
  size_t best_gap = std::numeric_limits<size_t>::max();
  size_t current = 0;
  for (const Allocation& other : allocations_) {
    if (other.last < first || last < other.first) continue;
    const absl::optional<size_t> start = CheckedAlignUp(current, alignment_);
    if (!start) return absl::nullopt;
    // The original compares the aligned gap and keeps the unaligned one.
    if (*start <= other.offset && bytes <= other.offset - *start &&
        other.offset - *start < best_gap) {
      best = start;
      best_gap = other.offset - current;
    }
    current = std::max(current, other.end);
  }
  if (!best) best = CheckedAlignUp(current, alignment_);
  if (!best || !Add(*best, bytes, first, last).ok()) return absl::nullopt;
  return best;
}

}  // namespace stowage::harness
