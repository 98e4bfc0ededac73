// SPDX-License-Identifier: Apache-2.0
// Replays a recorded sequence of calls in an arena of ours and compares every
// answer. In C without a libc, so that a device runs it too; a host reads the
// sequences with arena_vectors.h.
#ifndef STOWAGE_TESTS_MICRO_ARENA_REPLAY_H_
#define STOWAGE_TESTS_MICRO_ARENA_REPLAY_H_

#include <stdint.h>  // NOLINT(modernize-deprecated-headers): this is C.

#include "stowage/micro/arena.h"

// NOLINTBEGIN(modernize-*): this is C.
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  ARENA_PERSISTENT,
  ARENA_TEMP,
  ARENA_FREE_TEMP,
  ARENA_ALL_TEMPS_FREED,
  ARENA_RESET_TEMPS,
  ARENA_ALLOCATE_RESIZABLE,
  ARENA_RESIZE,
  ARENA_FREE_RESIZABLE,
  ARENA_RESERVE_OVERLAY,
  ARENA_OVERLAY_ADDRESS,
  ARENA_AVAILABLE
} arena_op;

#define ARENA_REFUSED UINT32_MAX

// Addresses are offsets from the start of the arena.
typedef struct {
  arena_op op;
  uint32_t offset;  // of what is freed or resized
  uint32_t size;    // UINT32_MAX for what 32 bits do not hold
  uint32_t alignment;
  uint32_t answer;  // an offset, a number, 1 for success; or ARENA_REFUSED
  uint32_t head;    // non-persistent bytes after the call
  uint32_t tail;    // persistent bytes after the call
} arena_call;

typedef struct {
  stowage_micro_arena_kind kind;
  uint32_t size;
  uint32_t base_mod64;     // the address of the arena, modulo 64
  uint32_t first_unsound;  // index of the call that has to be refused, or count
  const arena_call* calls;
  uint32_t count;
} arena_sequence;

typedef struct {
  const char* fault;       // what is wrong; null if nothing is
  uint32_t call;           // at which call
  uint32_t refused_frees;  // while nothing was in use: the original is silent
} arena_replay_result;

// Replays the sequence in an arena whose first byte is `memory`, at an address
// that is base_mod64 modulo 64 and is not accessed. The call at first_unsound
// ends it. Before every call each kind of call that has to be refused is tried,
// and has to leave the arena as it was. At the end the sequence is replayed in
// an arena of the size required, where every call is granted, and in one that
// is smaller by the largest alignment of persistent calls, where one is not.
arena_replay_result replay_arena(const arena_sequence* sequence, void* memory);

// Replays the sequence in the middle of all addresses, across the end of the
// first 2^32 where there are more, and up to the last one.
arena_replay_result replay_arena_everywhere(const arena_sequence* sequence);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*)

#endif  // STOWAGE_TESTS_MICRO_ARENA_REPLAY_H_
