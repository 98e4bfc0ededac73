// SPDX-License-Identifier: Apache-2.0
// Defines the status codes of all C functions in stowage/micro, in C99. The
// codes have no texts.
#ifndef STOWAGE_MICRO_STATUS_H_
#define STOWAGE_MICRO_STATUS_H_

// NOLINTBEGIN(modernize-*): this is C.
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  STOWAGE_MICRO_OK = 0,

  // Errors of arguments.
  STOWAGE_MICRO_NULL_ARGUMENT = 1,  // a required pointer is null
  STOWAGE_MICRO_BAD_ALIGNMENT = 2,  // an alignment is not a power of two

  // Errors of plans (plan.h).
  STOWAGE_MICRO_TOO_MANY_BUFFERS = 10,
  // The workspace is null, misaligned or too small.
  STOWAGE_MICRO_BAD_WORKSPACE = 11,
  STOWAGE_MICRO_REVERSED_LIFETIME = 13,  // first_task is above last_task
  STOWAGE_MICRO_MISALIGNED_OFFSET = 14,  // a fixed offset is misaligned
  // A sum does not fit in 32 bits, or in size_t (stack.h).
  STOWAGE_MICRO_OVERFLOW = 15,
  STOWAGE_MICRO_CAPACITY_EXCEEDED = 16,  // a buffer ends above the capacity
  STOWAGE_MICRO_OVERLAP = 17,            // two live buffers share a byte
  STOWAGE_MICRO_UNPLACED_BUFFER = 18,    // a buffer has no offset

  // Errors of arenas (arena.h).
  STOWAGE_MICRO_BAD_ARENA = 30,   // there is no such memory, or no such kind
  STOWAGE_MICRO_ARENA_FULL = 31,  // fewer bytes are free than requested
  // The given address is not that of the resizable buffer.
  STOWAGE_MICRO_BAD_BUFFER = 32,
  STOWAGE_MICRO_TEMPS_IN_USE = 33,  // temporaries are not freed or not reset
  // The given address is not that of a temporary in use.
  STOWAGE_MICRO_NOT_A_TEMP = 34,

  // Errors of plans inside models (offline.h).
  STOWAGE_MICRO_OFFLINE_NOT_FOUND = 50,  // the model has no plan
  // The file is not a TFLite file, or is broken.
  STOWAGE_MICRO_OFFLINE_BAD_MODEL = 51,
  STOWAGE_MICRO_OFFLINE_TWICE = 52,      // the model has more than one plan
  STOWAGE_MICRO_OFFLINE_NO_BUFFER = 53,  // the plan's buffer does not exist
  STOWAGE_MICRO_OFFLINE_NO_DATA = 54,    // the plan's buffer has no data
  STOWAGE_MICRO_OFFLINE_EMPTY = 55,      // the plan has 0 bytes of data
  STOWAGE_MICRO_OFFLINE_TRUNCATED = 56,  // the plan has fewer than three words
  // The plan ends with an incomplete word.
  STOWAGE_MICRO_OFFLINE_ODD_BYTES = 57,
  STOWAGE_MICRO_OFFLINE_VERSION = 58,  // the version of the plan is not 0
  // The plan and the model have different numbers of subgraphs.
  STOWAGE_MICRO_OFFLINE_SUBGRAPHS = 59,
  // The plan has fewer offsets than the model has tensors.
  STOWAGE_MICRO_OFFLINE_TOO_FEW = 60,
  // The plan has more offsets than the model has tensors.
  STOWAGE_MICRO_OFFLINE_TOO_MANY = 61,
  // The plan has fewer offsets than it states.
  STOWAGE_MICRO_OFFLINE_SHORT = 62,
  // The plan has more words than it states.
  STOWAGE_MICRO_OFFLINE_TRAILING = 63,
  STOWAGE_MICRO_OFFLINE_NEGATIVE = 64,  // an offset is below -1

  // Errors of tables of stacks (stack.h).

  // The bytes are not a table, or are a table of a different version.
  STOWAGE_MICRO_STACK_NOT_A_TABLE = 80,
  // The table is cut off, or there are bytes after it.
  STOWAGE_MICRO_STACK_BAD_SIZE = 81,
  STOWAGE_MICRO_STACK_DAMAGED = 82,  // the hash of the table is wrong
  // An edge does not lead to a lower record, or has the wrong form.
  STOWAGE_MICRO_STACK_BAD_EDGE = 83
} stowage_micro_status;

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*)

#endif  // STOWAGE_MICRO_STATUS_H_
