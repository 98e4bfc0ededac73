// SPDX-License-Identifier: Apache-2.0
// Places records one by one and makes exactly the plans of TensorFlow Lite's
// SimpleMemoryArena. The best fit of the paper, which compares gaps in a
// simpler way, is best_fit.h.
//
//   alignment 64    end 100 ---> aligned to 128        next record at 400
//   gap compared    128 .. 400 = 272      gap remembered    100 .. 400 = 300
//
// Source: TensorFlow Lite's SimpleMemoryArena.
#ifndef STOWAGE_SRC_CONSTRUCT_ARENA_FIT_H_
#define STOWAGE_SRC_CONSTRUCT_ARENA_FIT_H_

#include <cstddef>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/assignment.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"

namespace stowage {

struct ArenaFit {
  OffsetsAssignment plan;
  // The first record that has no place below 2^64, if any. The plan is then
  // incomplete.
  absl::optional<size_t> misfit;
};

// Places the records of `order` around those that have an offset in `fixed`,
// which is empty or has an entry for every record; `order` does not contain the
// fixed ones. A record of 0 bytes goes to offset 0 and blocks no other. O(n k)
// time for k stretches in use or free beside a record (free_space.h); O(n)
// memory.
ArenaFit PlaceArenaFit(absl::Span<const ByteRecord> records,
                       const IntervalRanks& ranks,
                       absl::Span<const size_t> order,
                       const Alignments& alignments,
                       absl::Span<const absl::optional<size_t>> fixed = {});

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_ARENA_FIT_H_
