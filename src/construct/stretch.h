// SPDX-License-Identifier: Apache-2.0
// Represents a range of bytes of an arena, for FreeSpace (free_space.h) and its
// lists. For a placed record, use Place (placed_records.h).
#ifndef STOWAGE_SRC_CONSTRUCT_STRETCH_H_
#define STOWAGE_SRC_CONSTRUCT_STRETCH_H_

#include <cstddef>
#include <limits>
#include <vector>

namespace stowage {

// The bytes of an arena from `begin` to `end`, exclusive.
struct Stretch {
  size_t begin = 0;
  size_t end = 0;
};

// The value of Stretch::end for a stretch without an end.
inline constexpr size_t kNoEnd = std::numeric_limits<size_t>::max();

// Appends a stretch if it has at least `size` bytes or no end.
inline void KeepIfLarge(Stretch bytes, size_t size,
                        std::vector<Stretch>* rest) {
  if (bytes.end == kNoEnd ||
      (bytes.begin < bytes.end && bytes.end - bytes.begin >= size)) {
    rest->push_back(bytes);
  }
}

// An empty sequence of stretches, with the interface of ColumnList::Cursor
// (column_list.h).
struct NoStretches {
  static constexpr size_t begin() { return kNoEnd; }
  static constexpr size_t end() { return kNoEnd; }
  static constexpr void Advance() {}
};

// Advances `in_use` past the stretches in use that begin below `begin`. Calls
// `visit` for each free stretch between them that begins at or above `*top`, as
// FreeSpace::VisitFree does. Sets *top to the end of the last stretch that was
// passed, and *too_many to the last result of `visit`. Returns false if the
// visitor stops the visit. The function is inlined because it is called for
// each stretch of another list.
template <typename InUse, typename Visit>
[[gnu::always_inline]] inline bool VisitBelow(size_t begin, size_t size,
                                              InUse* in_use, size_t* top,
                                              size_t* too_many, Visit& visit) {
  for (; in_use->begin() < begin; in_use->Advance()) {
    // If the gap has less than `size` bytes, the difference wraps around to
    // nearly 2^64, and the gap is skipped.
    if (in_use->begin() - *top - size < *too_many - size) {
      *too_many = visit(Stretch{*top, in_use->begin()});
      if (*too_many <= size) return false;
    }
    *top = in_use->end();
  }
  return true;
}

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_STRETCH_H_
