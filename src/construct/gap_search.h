// SPDX-License-Identifier: Apache-2.0
// Selects the gap of best fit: the tightest one of the free stretches that
// FreeSpace (free_space.h) or PlacedRecords (placed_records.h) visits.
#ifndef STOWAGE_SRC_CONSTRUCT_GAP_SEARCH_H_
#define STOWAGE_SRC_CONSTRUCT_GAP_SEARCH_H_

#include <cstddef>
#include <limits>

#include "src/construct/free_space.h"
#include "src/construct/stretch.h"
#include "stowage/base/optional.h"
#include "stowage/tensor_size.h"

namespace stowage {

// The byte from which the size of the tightest gap so far counts when the next
// gap is compared with it: its first aligned byte (kAligned) or its first byte
// (kWhole). The size of the next gap always counts from its first aligned byte.
enum class KeptGap { kAligned, kWhole };

// Keeps the tightest gap that has room for `size` bytes. The caller must call
// Pass with each free stretch, from the lowest to the highest.
template <KeptGap kKept>
class GapSearch {
 public:
  GapSearch(size_t size, size_t alignment)
      : size_(size), alignment_(alignment) {}

  // Compares the next free stretch with the tightest gap so far. Returns the
  // minimum number of bytes of a further stretch that is too large to be
  // better. Returns `size`, which stops the search, if no gap can be tighter or
  // no higher offset is aligned.
  size_t Pass(Stretch gap) {
    const size_t start = AlignUp(gap.begin, alignment_);
    // If `start` has wrapped around, no byte up to 2^64 - 1 is aligned.
    if (start < gap.begin) return size_;
    if (start <= gap.end && gap.end - start >= size_ &&
        gap.end - start < tightest_) {
      tightest_ = gap.end - (kKept == KeptGap::kWhole ? gap.begin : start);
      best_ = start;
    }
    return TooManyBytes(size_, tightest_, alignment_);
  }

  // Returns the offset in the tightest gap, or nullopt if no gap has room.
  optional<size_t> best() const {
    return tightest_ == kNoGap ? nullopt : make_optional(best_);
  }

 private:
  static constexpr size_t kNoGap = std::numeric_limits<size_t>::max();

  size_t size_;
  size_t alignment_;
  size_t tightest_ = kNoGap;
  size_t best_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_GAP_SEARCH_H_
