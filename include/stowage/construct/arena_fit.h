// SPDX-License-Identifier: Apache-2.0
// Places records one by one, in a given order, and makes exactly the plans of
// TensorFlow Lite's SimpleMemoryArena. It is for runtimes that place tensors
// step by step, as shapes become known, around those that have a place already.
// To place all records of a problem at once use the strategy arena_best_fit, or
// a better one (planner.h). No plan is verified here: use FindViolation
// (verify.h).
//
//   const std::vector<ByteRecord> records = {
//       {1024, 0, 1}, {512, 1, 2}, {512, 2, 3}};
//   // Record 0 has its place, and record 2 is placed before record 1.
//   const ArenaFit fit = PlaceArenaFit(records, {2, 1}, 64, {0, {}, {}});
//
// The tightest gap is searched with an asymmetry that the plans depend on. When
// a gap is compared with the best gap so far, only its bytes from the first
// aligned one on count. Of the best gap so far, all bytes count:
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
  // The first record that has no place below 2^64, if any. The plan is then
  // incomplete.
  optional<size_t> misfit;
};

// Places the records of `order`, which contains no fixed record, around the
// records that have an offset in `fixed`. `fixed` is empty or has an entry for
// every record. A record of 0 bytes that is not fixed goes to offset 0, and no
// record of 0 bytes blocks another. Requires intervals that do not end before
// they begin. O(n k) time, where k is the number of stretches of bytes that are
// in use or free during the lifetime of a record; O(n) memory.
ArenaFit PlaceArenaFit(Span<const ByteRecord> records, Span<const size_t> order,
                       const Alignments& alignments,
                       Span<const optional<size_t>> fixed = {});

}  // namespace stowage

#endif  // STOWAGE_CONSTRUCT_ARENA_FIT_H_
