// SPDX-License-Identifier: Apache-2.0
// Bytes of an arena side by side: what FreeSpace (free_space.h) and its lists
// speak of. A record that has a place is a Place (placed_records.h).
#ifndef STOWAGE_SRC_CORE_STRETCH_H_
#define STOWAGE_SRC_CORE_STRETCH_H_

#include <cstddef>

namespace stowage {

// Bytes from `begin` up to `end`, of an arena.
struct Stretch {
  size_t begin = 0;
  size_t end = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_STRETCH_H_
