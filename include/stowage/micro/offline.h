// SPDX-License-Identifier: Apache-2.0
// Reads the plan inside a model: finds the metadata OfflineMemoryAllocation of
// a TFLite file in memory, checks the metadata, and assigns its offsets to
// buffers. Use this header on the device to check such a plan before relying on
// it; to make a plan on the device, use only plan.h. The code is C99 and uses
// no heap, no libc, no global state and no callbacks.
//
//   stowage_micro_offline plan;
//   uint32_t witness[2], total;
//   stowage_micro_offline_rules rules = {16, sizeof(arena), NULL};
//   if (stowage_micro_offline_find(model, model_bytes, &plan) ==
//           STOWAGE_MICRO_OK &&
//       stowage_micro_offline_place(&plan, buffers, count, &rules, &total,
//                                   witness) == STOWAGE_MICRO_OK) {
//     // buffers[i].offset is fixed or STOWAGE_MICRO_UNPLACED, and
//     // stowage_micro_plan() places the rest around what is fixed.
//   }
//
// The metadata is an array of little-endian 32-bit words: the version, the
// number of subgraphs, the number of offsets, and the offsets. A second word of
// 0 is accepted for a model with one subgraph, because older writers stored the
// index of a subgraph instead of the number of subgraphs. Each tensor of each
// subgraph, including constants, has an offset, in the order of the model. An
// offset is a number of bytes from the start of the arena, or -1 for a tensor
// that is planned at run time.
#ifndef STOWAGE_MICRO_OFFLINE_H_
#define STOWAGE_MICRO_OFFLINE_H_

#include <stdint.h>  // NOLINT(modernize-deprecated-headers): this is C.

#include "stowage/micro/plan.h"
#include "stowage/micro/status.h"

// NOLINTBEGIN(modernize-*): this is C.
#ifdef __cplusplus
extern "C" {
#endif

// A plan inside a model. The memory of the model must outlive this struct.
typedef struct {
  const uint8_t* offsets;  // has `count` words, little-endian, at any address
  uint32_t count;          // the number of tensors in all subgraphs
} stowage_micro_offline;

// Finds the plan in a TFLite file of `bytes` bytes at `model`, which need not
// be aligned. Never reads a byte outside of the file, whatever the file
// contains.
//
// Errors, which leave *plan unchanged: NULL_ARGUMENT; OFFLINE_NOT_FOUND if
// there is no plan; OFFLINE_BAD_MODEL if the bytes are not a TFLite file, or if
// a reference on the path to the plan points outside of the file; all other
// codes of status.h that begin with OFFLINE_, except OFFLINE_NEGATIVE.
//
// O(metadata + subgraphs).
stowage_micro_status stowage_micro_offline_find(const void* model,
                                                uint32_t bytes,
                                                stowage_micro_offline* plan);

// Like stowage_micro_offline_find(), but for metadata that the caller has
// already found: `bytes` bytes at `metadata`. `subgraphs` is the number of
// subgraphs of the model, and `tensors` is the number of tensors in all
// subgraphs.
stowage_micro_status stowage_micro_offline_read(const void* metadata,
                                                uint32_t bytes,
                                                uint32_t subgraphs,
                                                uint32_t tensors,
                                                stowage_micro_offline* plan);

// The rules that the offsets of a plan must satisfy.
typedef struct {
  uint32_t alignment;  // a power of two for offsets and for rounded sizes
  uint32_t capacity;   // the capacity of the arena, in bytes
  // If `custom` is null, two buffers that are live at the same task must not
  // share a byte. Otherwise `custom` has a number for each buffer, and two
  // buffers with the same nonzero number may overlap. Give the same number to
  // all tensors of one custom operator, because Vela intentionally makes their
  // offsets overlap. Nothing checks that the operator works with these offsets.
  const uint8_t* custom;
} stowage_micro_offline_rules;

// Checks the plan and sets the offset of every buffer. `buffers` has one buffer
// for each tensor, in the order of the plan; previous offsets are ignored. Each
// buffer gets the offset of its tensor, or STOWAGE_MICRO_UNPLACED if the plan
// has no offset for the tensor. A buffer of size 0, such as a constant or an
// empty tensor, is not in the arena: it gets offset 0, and the plan's offset is
// ignored. Sizes are rounded up to the alignment, as in stowage_micro_plan()
// and stowage_micro_check(). *total is set to the largest end of a placed
// buffer. An end above the capacity or above 2^32 - 1 is the error
// CAPACITY_EXCEEDED.
//
// Errors, which leave all offsets and *total unchanged: NULL_ARGUMENT,
// BAD_ALIGNMENT; OFFLINE_TOO_FEW or OFFLINE_TOO_MANY if the plan has fewer or
// more than `count` offsets; REVERSED_LIFETIME, OFFLINE_NEGATIVE,
// MISALIGNED_OFFSET and CAPACITY_EXCEEDED, which set both elements of `witness`
// to the index of the buffer; OVERLAP, which sets `witness` to the indices of
// the two buffers, with witness[0] < witness[1]. `witness` may be null.
//
// O(c n) time for n buffers, c of which have an offset. Allocates no memory. A
// pair of buffers that are never live at the same task costs only a few
// instructions.
stowage_micro_status stowage_micro_offline_place(
    const stowage_micro_offline* plan, stowage_micro_buffer* buffers,
    uint32_t count, const stowage_micro_offline_rules* rules, uint32_t* total,
    uint32_t witness[2]);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*)

#endif  // STOWAGE_MICRO_OFFLINE_H_
