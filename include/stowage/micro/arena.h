// SPDX-License-Identifier: Apache-2.0
// A two-ended arena for firmware: persistent bytes grow down from its end, one
// resizable buffer or overlay lies at its start, temporaries follow that. For
// the places of tensors within the overlay use stowage/micro/plan.h.
//
//    start        head         temps_end        tail            size
//      | resizable |  temporaries  |    free     |  persistent    |
//
//   static uint8_t memory[20000];
//   stowage_micro_arena arena;
//   stowage_micro_arena_init(&arena, memory, sizeof(memory),
//                            STOWAGE_MICRO_ARENA_SINGLE);
//   void* state = stowage_micro_arena_persistent(&arena, 400, 16);
//   void* scratch = stowage_micro_arena_temp(&arena, 64, 4);
//
// The operations are those of TensorFlow Lite Micro's allocators, and so are
// their results, except that what is unsafe there is refused here. What is
// refused changes nothing. The arena neither reads nor writes the memory that
// it hands out. Every call takes constant time; no two may run at once.
//
// Sizes are bytes in 32 bits, whatever size_t is: a wider size is passed as
// UINT32_MAX, which no arena grants. An alignment is a power of two, and one of
// addresses. Of 0 bytes the address is not unique; at the end of an arena that
// ends at the last address it would be null, and is refused.
#ifndef STOWAGE_MICRO_ARENA_H_
#define STOWAGE_MICRO_ARENA_H_

#include <stdint.h>  // NOLINT(modernize-deprecated-headers): this is C.

#include "stowage/micro/status.h"

// NOLINTBEGIN(modernize-*): this is C.
#ifdef __cplusplus
extern "C" {
#endif

// Which ends an arena has. Where a fast memory and a slow one are at hand, one
// arena may take what is persistent and another the rest.
typedef enum {
  STOWAGE_MICRO_ARENA_PERSISTENT = 1,     // no head and no temporaries
  STOWAGE_MICRO_ARENA_NONPERSISTENT = 2,  // no tail
  STOWAGE_MICRO_ARENA_SINGLE = 3
} stowage_micro_arena_kind;

// What persistent calls took: a category of the caller's.
typedef struct {
  uint32_t requested;  // bytes asked for
  uint32_t used;       // bytes taken, with those for alignment
  uint32_t count;      // calls granted
} stowage_micro_arena_tally;

// Read by the functions below; no field is for writing.
typedef struct {
  uintptr_t start;
  uint32_t size;
  uint32_t head;        // end of the resizable buffer or overlay
  uint32_t temps_end;   // head <= temps_end <= tail <= size, from the start
  uint32_t tail;        // first persistent byte
  uint32_t temps;       // temporaries in use
  uintptr_t temps_xor;  // of their addresses
  uint32_t peak;
  uint32_t alignment;  // the largest of persistent calls
  uint32_t flags;
  stowage_micro_arena_tally* tally;
} stowage_micro_arena;

// Makes *arena an empty arena of `size` bytes at `memory`, of any alignment;
// it may end at the last address. Errors, which leave *arena as it was:
// NULL_ARGUMENT; BAD_ARENA if it ends beyond the last address, for a size of
// UINT32_MAX and for another kind.
stowage_micro_status stowage_micro_arena_init(stowage_micro_arena* arena,
                                              void* memory, uint32_t size,
                                              stowage_micro_arena_kind kind);

// Takes `size` bytes for good, at the tail. Returns null if they do not fit
// above the temporaries. What they held counts until it is reset.
void* stowage_micro_arena_persistent(stowage_micro_arena* arena, uint32_t size,
                                     uint32_t alignment);

// Counts the persistent calls that follow in *tally, which is then in use as
// long as the arena; in none if null.
void stowage_micro_arena_record(stowage_micro_arena* arena,
                                stowage_micro_arena_tally* tally);

// Takes `size` bytes behind all temporaries. Returns null if they do not fit.
void* stowage_micro_arena_temp(stowage_micro_arena* arena, uint32_t size,
                               uint32_t alignment);

// Ends the use of a temporary. Its bytes are free after the next reset.
// Errors: NOT_A_TEMP if no temporary is in use, if the only one is another, and
// for an address outside of the arena. The arena keeps no list: while several
// are in use it trusts an address in the arena, and if that was not one of them
// it refuses the last one, and to reset.
stowage_micro_status stowage_micro_arena_free_temp(stowage_micro_arena* arena,
                                                   const void* temp);

// Returns 1 if no temporary is in use, else 0.
int stowage_micro_arena_all_temps_freed(const stowage_micro_arena* arena);

// Frees the bytes of all temporaries. Errors: TEMPS_IN_USE.
stowage_micro_status stowage_micro_arena_reset_temps(
    stowage_micro_arena* arena);

// Makes the resizable buffer, at the first aligned address, in place of one
// that there may be. Returns null if it does not fit, if temporaries have not
// been reset and, in an arena without tail, until the last one is freed.
void* stowage_micro_arena_allocate_resizable(stowage_micro_arena* arena,
                                             uint32_t size, uint32_t alignment);

// Lets the resizable buffer have `size` bytes, more or fewer. Errors:
// BAD_ALIGNMENT; BAD_BUFFER unless `buffer` is the first address so aligned;
// TEMPS_IN_USE if temporaries have not been reset; ARENA_FULL.
stowage_micro_status stowage_micro_arena_resize(stowage_micro_arena* arena,
                                                const void* buffer,
                                                uint32_t size,
                                                uint32_t alignment);

// Gives up the resizable buffer. Errors: those of resize; BAD_BUFFER unless it
// is at the very start of the arena.
stowage_micro_status stowage_micro_arena_free_resizable(
    stowage_micro_arena* arena, const void* buffer);

// Reserves the bytes that tensors of a plan lie in, from the first aligned
// address: `size` in all, more or fewer than before, in place of the resizable
// buffer. For several models the largest of their plans. Errors: those of
// resize.
stowage_micro_status stowage_micro_arena_reserve_overlay(
    stowage_micro_arena* arena, uint32_t size, uint32_t alignment);

// Returns the start of the arena, not aligned.
void* stowage_micro_arena_overlay_address(const stowage_micro_arena* arena);

// Returns the bytes between the first and the last aligned address of what is
// free; 0 for a bad alignment.
uint32_t stowage_micro_arena_available(const stowage_micro_arena* arena,
                                       uint32_t alignment);

// Return the bytes below the end of the temporaries, those above the tail, the
// sum of both, and the largest that this sum has been.
uint32_t stowage_micro_arena_nonpersistent_bytes(
    const stowage_micro_arena* arena);
uint32_t stowage_micro_arena_persistent_bytes(const stowage_micro_arena* arena);
uint32_t stowage_micro_arena_used_bytes(const stowage_micro_arena* arena);
uint32_t stowage_micro_arena_peak_bytes(const stowage_micro_arena* arena);

// Returns the size that an arena at this address needs for all that this one
// granted: the peak, and what keeps the end as aligned as it is. With the
// largest alignment of persistent calls less it refuses one of them.
uint32_t stowage_micro_arena_required_bytes(const stowage_micro_arena* arena);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*)

#endif  // STOWAGE_MICRO_ARENA_H_
