// SPDX-License-Identifier: Apache-2.0
// Places records one by one and makes exactly the plans of TensorFlow Lite's
// SimpleMemoryArena. For the best fit of the paper, which compares gaps in a
// simpler way, use PlaceBestFit (best_fit.h).
//
// A gap is compared by its bytes from the first aligned one on, but the best
// gap so far is remembered by all its bytes:
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

// Places the records of `order`, which contains no fixed record, around the
// records that have an offset in `fixed`. `fixed` is empty or has an entry for
// every record. A record of 0 bytes that is not fixed goes to offset 0, and no
// record of 0 bytes blocks another. O(n k) time, where k is the number of
// stretches that are in use or free during the lifetime of a record
// (free_space.h); O(n) memory.
ArenaFit PlaceArenaFit(absl::Span<const ByteRecord> records,
                       const IntervalRanks& ranks,
                       absl::Span<const size_t> order,
                       const Alignments& alignments,
                       absl::Span<const absl::optional<size_t>> fixed = {});

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_ARENA_FIT_H_
