// SPDX-License-Identifier: Apache-2.0
// Planning on the device: offsets in one arena for buffers with lifetimes, in
// C99 without heap, libc, global state or callbacks. On a host use
// stowage/planner.h, whose strategies find smaller plans; in C++ on a device,
// stowage/micro/planner.h; under TensorFlow Lite Micro, tflm_planner.h.
//
//   static stowage_micro_buffer buffers[] = {
//       {4096, 0, 1, STOWAGE_MICRO_UNPLACED},
//       {1024, 1, 2, STOWAGE_MICRO_UNPLACED},
//       {4096, 2, 3, STOWAGE_MICRO_UNPLACED}};
//   static uint32_t workspace[STOWAGE_MICRO_WORKSPACE_BYTES(3) / 4];
//   uint32_t total;
//   if (stowage_micro_plan(buffers, 3, 16, workspace, sizeof(workspace),
//                          &total) == STOWAGE_MICRO_OK) {
//     // buffers[i].offset; the arena needs `total` bytes: 5,120
//   }
//
// Sizes and offsets are bytes in 32 bits, whatever size_t is. Every sum is
// checked. Tasks are inclusive at both ends: buffers that share a task
// CONFLICT and share no byte (the picture is in stowage/usage_record.h).
#ifndef STOWAGE_MICRO_PLAN_H_
#define STOWAGE_MICRO_PLAN_H_

#include <stdint.h>  // NOLINT(modernize-deprecated-headers): this is C.

#include "stowage/micro/status.h"

// NOLINTBEGIN(modernize-*): this is C.
#ifdef __cplusplus
extern "C" {
#endif

// One buffer. Requires first_task <= last_task.
typedef struct {
  uint32_t size;        // bytes; one of 0 bytes conflicts with none
  uint32_t first_task;  // inclusive
  uint32_t last_task;   // inclusive
  uint32_t offset;      // in: fixed, or STOWAGE_MICRO_UNPLACED; out: its place
} stowage_micro_buffer;

#define STOWAGE_MICRO_UNPLACED UINT32_MAX

// The largest number of buffers that can be planned.
#define STOWAGE_MICRO_MAX_BUFFERS 65535u

// Bytes of workspace for `count` buffers, a constant expression if `count` is.
// The workspace is aligned to STOWAGE_MICRO_WORKSPACE_ALIGNMENT.
#define STOWAGE_MICRO_WORKSPACE_BYTES(count) (4u * (count))
#define STOWAGE_MICRO_WORKSPACE_ALIGNMENT 4u

// Places every buffer whose offset is STOWAGE_MICRO_UNPLACED around those whose
// offset is given, and sets *total to the bytes of the arena. Offsets are
// multiples of `alignment`, a power of two; sizes are rounded up to it, in
// *total too. The plan is that of TensorFlow Lite Micro's greedy planner: by
// decreasing size, of equal sizes the later first, each at the lowest offset
// where it fits.
//
// `workspace` has no meaning before the call, and afterwards serves
// stowage_micro_unplan(). Nothing outside buffers[0, count), the first
// STOWAGE_MICRO_WORKSPACE_BYTES(count) bytes of the workspace and *total is
// written. With count 0, null pointers are accepted for both arrays.
//
// Errors, which leave every offset and *total as they were: TOO_MANY_BUFFERS,
// BAD_WORKSPACE, BAD_ALIGNMENT, NULL_ARGUMENT; REVERSED_LIFETIME or OVERFLOW of
// any buffer, MISALIGNED_OFFSET, OVERFLOW or OVERLAP of fixed ones, where
// stowage_micro_check() names the buffers; OVERFLOW if the arena would exceed
// 2^32 - 1 bytes. `total` is not null.
//
// O(n (log n + c log c)) for n buffers of which each conflicts with c, and at
// most O(f n) for f fixed ones to check.
stowage_micro_status stowage_micro_plan(stowage_micro_buffer* buffers,
                                        uint32_t count, uint32_t alignment,
                                        void* workspace,
                                        uint32_t workspace_bytes,
                                        uint32_t* total);

// The smallest of five plans, in as many orders, of which that of
// stowage_micro_plan() is the first: never larger, and six times as slow.
// Everything else is as there.
stowage_micro_status stowage_micro_plan_best(stowage_micro_buffer* buffers,
                                             uint32_t count, uint32_t alignment,
                                             void* workspace,
                                             uint32_t workspace_bytes,
                                             uint32_t* total);

// Undoes a plan, to plan again after a change: sets the offsets that
// stowage_micro_plan() or stowage_micro_plan_best() chose back to
// STOWAGE_MICRO_UNPLACED. Requires that the last such call returned
// STOWAGE_MICRO_OK for the same `buffers`, `count` and `workspace`. If the
// workspace has been overwritten since, it is unspecified which offsets are set
// back; still nothing but offsets of buffers[0, count) is written, and nothing
// but those bytes of the workspace is read. O(n).
void stowage_micro_unplan(stowage_micro_buffer* buffers, uint32_t count,
                          const void* workspace);

// Checks that a plan is safe, whatever made it: lifetimes are not reversed,
// offsets are multiples of `alignment`, no buffer, its size rounded up, ends
// above `capacity`, no conflicting buffers share a byte and every buffer has an
// offset. `count` is any number.
//
// Errors: NULL_ARGUMENT and BAD_ALIGNMENT; and with both elements of `witness`,
// which is not null, set to the buffer: REVERSED_LIFETIME, MISALIGNED_OFFSET,
// OVERFLOW, CAPACITY_EXCEEDED, and with nothing else wrong UNPLACED_BUFFER, the
// first one; OVERLAP with witness[0] < witness[1], the two buffers.
//
// O(n^2) time, no memory.
stowage_micro_status stowage_micro_check(const stowage_micro_buffer* buffers,
                                         uint32_t count, uint32_t alignment,
                                         uint32_t capacity,
                                         uint32_t witness[2]);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*)

#endif  // STOWAGE_MICRO_PLAN_H_
