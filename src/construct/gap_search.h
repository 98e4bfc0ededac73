// SPDX-License-Identifier: Apache-2.0
// Best fit: the tightest of the gaps that FreeSpace or PlacedRecords passes.
#ifndef STOWAGE_SRC_CONSTRUCT_GAP_SEARCH_H_
#define STOWAGE_SRC_CONSTRUCT_GAP_SEARCH_H_

#include <cstddef>
#include <limits>

#include "absl/types/optional.h"
#include "src/construct/free_space.h"
#include "src/construct/stretch.h"
#include "stowage/tensor_size.h"

namespace stowage {

// From where the tightest gap so far counts when the next one, which counts
// from its first aligned byte, is compared with it.
enum class KeptGap { kAligned, kWhole };

// Searches for the tightest gap while free stretches are passed from the lowest
// on.
template <KeptGap kKept>
class GapSearch {
 public:
  GapSearch(size_t size, size_t alignment)
      : size_(size), alignment_(alignment) {}

  // Passes the next free stretch. Returns the number of bytes from which on
  // further stretches are too large to be a better choice. Returns `size` to
  // end the search, because no gap can be tighter or no offset above is
  // aligned.
  size_t Pass(Stretch gap) {
    const size_t start = AlignUp(gap.begin, alignment_);
    if (start < gap.begin) return size_;  // beyond 2^64 - 1
    if (start <= gap.end && gap.end - start >= size_ &&
        gap.end - start < tightest_) {
      tightest_ = gap.end - (kKept == KeptGap::kWhole ? gap.begin : start);
      best_ = start;
    }
    return TooManyBytes(size_, tightest_, alignment_);
  }

  // Returns the offset in the tightest gap, or nullopt if none has room.
  absl::optional<size_t> best() const {
    return tightest_ == kNoGap ? absl::nullopt : absl::make_optional(best_);
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
