// SPDX-License-Identifier: Apache-2.0
// Places records one by one in a given order, and makes exactly the plans of
// TensorFlow Lite's SimpleMemoryArena. Use it in runtimes that place tensors
// step by step, as shapes become known, around the tensors that already have a
// place. To place all records of a problem at once, use the strategy
// arena_best_fit or a better one (planner.h). The plan is not verified; to
// verify it, use FindViolation (verify.h).
//
//   const std::vector<ByteRecord> records = {
//       {1024, 0, 1}, {512, 1, 2}, {512, 2, 3}};
//   // Record 0 has its place, and record 2 is placed before record 1.
//   const ArenaFit fit = PlaceArenaFit(records, {2, 1}, 64, {0, {}, {}});
//
// The search for the smallest gap that fits has an asymmetry, and the plans
// depend on it. The size of a gap that is compared with the best gap so far
// counts from its first aligned byte. Once the gap is the best so far, its size
// counts from its first byte, aligned or not:
//
//   alignment 64    end 100 ---> aligned to 128        next record at 400
//   gap compared    128 .. 400 = 272      gap remembered    100 .. 400 = 300
//
// Source: TensorFlow Lite's SimpleMemoryArena.
#ifndef STOWAGE_CONSTRUCT_ARENA_FIT_H_
#define STOWAGE_CONSTRUCT_ARENA_FIT_H_

#include <cstddef>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"

namespace stowage {

struct ArenaFit {
  OffsetsAssignment plan;
  // The first record that does not fit below 2^64, if any. The plan is then
  // incomplete.
  optional<size_t> misfit;
};

// Places the records of `order` around the fixed records, which have an offset
// in `fixed`. Requires that `order` contains no fixed record, and that `fixed`
// is empty or has an entry for every record. Requires first_task <= last_task
// for every record. A record of 0 bytes that is not fixed gets offset 0, and no
// record of 0 bytes blocks another. O(n k) time, where k is the number of used
// and free ranges of bytes during the lifetime of a record; O(n) memory.
ArenaFit PlaceArenaFit(Span<const ByteRecord> records, Span<const size_t> order,
                       const Alignments& alignments,
                       Span<const optional<size_t>> fixed = {});

}  // namespace stowage

#endif  // STOWAGE_CONSTRUCT_ARENA_FIT_H_
