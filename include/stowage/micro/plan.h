// SPDX-License-Identifier: Apache-2.0
// Plans memory on the device: assigns offsets in one arena to buffers with
// lifetimes. The code is C99 and uses no heap, no libc, no global state and no
// callbacks. On a host, use stowage/planner.h, which finds smaller plans. On a
// device, C++ programs can use stowage/micro/planner.h, and programs that use
// TensorFlow Lite Micro can use tflm_planner.h.
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
// Sizes and offsets are 32-bit numbers of bytes, whatever size_t is. Every sum
// is checked for overflow. The first and the last task of a lifetime are
// inclusive. Two buffers that are live at the same task conflict: a plan gives
// them no byte in common (stowage/usage_record.h has a picture).
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
  // In bytes. A buffer of 0 bytes conflicts with none. If its offset is fixed,
  // this offset still counts in the total, and the gap around it is divided.
  uint32_t size;
  uint32_t first_task;  // inclusive
  uint32_t last_task;   // inclusive
  // On input, the fixed offset, or STOWAGE_MICRO_UNPLACED if the plan may
  // choose the offset. On output, the offset of the buffer.
  uint32_t offset;
} stowage_micro_buffer;

#define STOWAGE_MICRO_UNPLACED UINT32_MAX

// The largest number of buffers that can be planned.
#define STOWAGE_MICRO_MAX_BUFFERS 65535u

// The number of bytes of workspace that `count` buffers need; a constant
// expression if `count` is one. The workspace must be aligned to
// STOWAGE_MICRO_WORKSPACE_ALIGNMENT.
#define STOWAGE_MICRO_WORKSPACE_BYTES(count) (4u * (count))
#define STOWAGE_MICRO_WORKSPACE_ALIGNMENT 4u

// Places every buffer with the offset STOWAGE_MICRO_UNPLACED around the buffers
// with fixed offsets, and sets *total to the number of bytes that the arena
// needs. `alignment` must be a power of two. All offsets are multiples of
// `alignment`, and sizes are rounded up to multiples of `alignment`; *total
// counts the rounded sizes. The plan is that of TensorFlow Lite Micro's greedy
// planner: buffers are placed by decreasing size; of two buffers with equal
// sizes, the later one is placed first. Each buffer gets the lowest offset
// where it fits.
//
// The content of `workspace` before the call is ignored. A later call of
// stowage_micro_unplan() reads what this call has left in it. Only buffers[0,
// count), the first STOWAGE_MICRO_WORKSPACE_BYTES(count) bytes of the workspace
// and *total are written. If `count` is 0, `buffers` and `workspace` may be
// null.
//
// Errors, which leave every offset and *total unchanged: TOO_MANY_BUFFERS,
// BAD_WORKSPACE, BAD_ALIGNMENT, NULL_ARGUMENT; REVERSED_LIFETIME or OVERFLOW
// because of any buffer; MISALIGNED_OFFSET, OVERFLOW or OVERLAP because of
// buffers with fixed offsets; OVERFLOW if the arena would exceed 2^32 - 1
// bytes. If particular buffers cause an error, stowage_micro_check() finds
// them. `total` must not be null.
//
// O(n (log n + c log c)) for n buffers, each of which conflicts with c others,
// plus at most O(f n) to check f fixed buffers.
stowage_micro_status stowage_micro_plan(stowage_micro_buffer* buffers,
                                        uint32_t count, uint32_t alignment,
                                        void* workspace,
                                        uint32_t workspace_bytes,
                                        uint32_t* total);

// Makes five plans, placing the buffers in a different order each time, and
// keeps the smallest plan. The first of the five orders is that of
// stowage_micro_plan(), so the result is never larger than that of
// stowage_micro_plan(). The call takes six times as long. The parameters,
// errors and requirements are those of stowage_micro_plan().
stowage_micro_status stowage_micro_plan_best(stowage_micro_buffer* buffers,
                                             uint32_t count, uint32_t alignment,
                                             void* workspace,
                                             uint32_t workspace_bytes,
                                             uint32_t* total);

// Undoes a plan, so that the buffers can be planned again after a change.
// Resets every offset that stowage_micro_plan() or stowage_micro_plan_best()
// has chosen to STOWAGE_MICRO_UNPLACED. Requires that the last call of either
// function returned STOWAGE_MICRO_OK for the same `buffers`, `count` and
// `workspace`. If the workspace has been overwritten since that call, it is
// unspecified which offsets are reset. Even then only offsets of buffers[0,
// count) are written, and only those buffers and their bytes of the workspace
// are read. O(n).
void stowage_micro_unplan(stowage_micro_buffer* buffers, uint32_t count,
                          const void* workspace);

// Checks whether a plan of any origin is safe: no lifetime is reversed, all
// offsets are multiples of `alignment`, no buffer with its rounded size ends
// above `capacity`, no two conflicting buffers share a byte, and every buffer
// has an offset. `count` may be any number.
//
// Errors: NULL_ARGUMENT and BAD_ALIGNMENT, which leave `witness` unchanged;
// OVERLAP, which sets `witness` to the indices of the two buffers, with
// witness[0] < witness[1]; REVERSED_LIFETIME, MISALIGNED_OFFSET, OVERFLOW,
// CAPACITY_EXCEEDED and UNPLACED_BUFFER, which set both elements of `witness`
// to the index of the buffer. UNPLACED_BUFFER is returned only if there is no
// other error, for the first buffer without an offset. `witness` must not be
// null.
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
