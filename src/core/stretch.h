// SPDX-License-Identifier: Apache-2.0
// Bytes of an arena side by side: what FreeSpace (free_space.h) and its lists
// speak of. A record that has a place is a Place (placed_records.h).
#ifndef STOWAGE_SRC_CORE_STRETCH_H_
#define STOWAGE_SRC_CORE_STRETCH_H_

#include <cstddef>
#include <limits>
#include <vector>

#include "absl/base/attributes.h"

namespace stowage {

// Bytes from `begin` up to `end`, of an arena.
struct Stretch {
  size_t begin = 0;
  size_t end = 0;
};

// What a stretch without an end ends at.
inline constexpr size_t kNoEnd = std::numeric_limits<size_t>::max();

// Appends a stretch with at least `size` bytes, or without an end.
inline void KeepIfLarge(Stretch bytes, size_t size,
                        std::vector<Stretch>* rest) {
  if (bytes.end == kNoEnd ||
      (bytes.begin < bytes.end && bytes.end - bytes.begin >= size)) {
    rest->push_back(bytes);
  }
}

// No stretches to pass, as ColumnList::Cursor (column_list.h) passes some.
struct NoStretches {
  static constexpr size_t begin() { return kNoEnd; }
  static constexpr size_t end() { return kNoEnd; }
  static constexpr void Advance() {}
};

// Passes the stretches in use that begin below `begin`, and calls visit for
// what is free from `*top` on, as FreeSpace::VisitFree. Returns false if it
// ends the walk. Inline, for it is called for each stretch of another list.
template <typename InUse, typename Visit>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool VisitBelow(size_t begin, size_t size,
                                                    InUse* in_use, size_t* top,
                                                    size_t* too_many,
                                                    Visit& visit) {
  for (; in_use->begin() < begin; in_use->Advance()) {
    // What has less than `size` bytes has nearly 2^64 more.
    if (in_use->begin() - *top - size < *too_many - size) {
      *too_many = visit(Stretch{*top, in_use->begin()});
      if (*too_many <= size) return false;
    }
    *top = in_use->end();
  }
  return true;
}

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_STRETCH_H_
