// SPDX-License-Identifier: Apache-2.0
// Replays a recorded sequence of calls in an arena of this library and compares
// every answer. The code is C and uses no C library, so it can run on a device.
// On a host, arena_vectors.h reads the sequences.
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

// A call and its recorded answer. Addresses are offsets from the start of the
// arena.
typedef struct {
  arena_op op;
  uint32_t offset;  // of the buffer to free or to resize
  uint32_t size;    // UINT32_MAX if 32 bits do not hold it
  uint32_t alignment;
  uint32_t answer;  // an offset or a number; 1 for success; or ARENA_REFUSED
  uint32_t head;    // non-persistent bytes after the call
  uint32_t tail;    // persistent bytes after the call
} arena_call;

typedef struct {
  stowage_micro_arena_kind kind;
  uint32_t size;
  uint32_t base_mod64;  // the address of the arena, modulo 64
  // The index of an unsound call, which the arena of this library must refuse,
  // or `count` if the sequence has no unsound call.
  uint32_t first_unsound;
  const arena_call* calls;
  uint32_t count;
} arena_sequence;

typedef struct {
  const char* fault;  // what is wrong; null if nothing is
  uint32_t call;      // the call with the fault
  // The number of times that a temporary was freed while no temporary was in
  // use. This arena refuses such calls, whereas the original arena does not
  // report them.
  uint32_t refused_frees;
} arena_replay_result;

// Replays the sequence in an arena whose first byte is at `memory`. Requires
// that this address is base_mod64 modulo 64; the memory is not accessed. The
// replay stops after the call at first_unsound.
//
// Before every call, the replay tries each kind of call that must be refused,
// and checks that the arena is unchanged. At the end, it replays the sequence
// in two other arenas: one of the required size, which must grant every call,
// and one that is smaller by the largest alignment of persistent calls, which
// must refuse a call.
arena_replay_result replay_arena(const arena_sequence* sequence, void* memory);

// Replays the sequence at several addresses: far from both ends of the address
// space, up to the last address and, if addresses have more than 32 bits,
// across 2^32.
arena_replay_result replay_arena_everywhere(const arena_sequence* sequence);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*)

#endif  // STOWAGE_TESTS_MICRO_ARENA_REPLAY_H_
