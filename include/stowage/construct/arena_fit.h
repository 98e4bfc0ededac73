// SPDX-License-Identifier: Apache-2.0
// Places records one by one, in a given order, and makes exactly the plans of
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
// Each gap is compared with the tightest gap so far, and the plans depend on an
// asymmetry of this comparison. The size of the new gap counts from its first
// aligned byte. The size of the tightest gap so far counts from its first byte,
// aligned or not:
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
  // The first record that does not fit below 2^64. If it has a value, the plan
  // is incomplete.
  optional<size_t> misfit;
};

// Places the records of `order` around the fixed records, which have an offset
// in `fixed`. `order` contains no fixed record. `fixed` is empty or has an
// entry for every record. A record of 0 bytes that is not fixed goes to offset
// 0, and no record of 0 bytes blocks another. Requires that no interval ends
// before it begins. O(n k) time, where k is the number of used and free ranges
// of bytes during the lifetime of a record; O(n) memory.
ArenaFit PlaceArenaFit(Span<const ByteRecord> records, Span<const size_t> order,
                       const Alignments& alignments,
                       Span<const optional<size_t>> fixed = {});

}  // namespace stowage

#endif  // STOWAGE_CONSTRUCT_ARENA_FIT_H_
