// SPDX-License-Identifier: Apache-2.0
// Defines a two-ended arena for firmware. Persistent allocations grow down from
// the end. The head of the arena holds one resizable buffer, or an overlay: the
// bytes that a plan assigns to tensors. Temporaries follow the head. To plan
// the offsets of tensors within the overlay, use stowage/micro/plan.h.
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
// The operations and their results are those of TensorFlow Lite Micro's
// allocators, except that unsafe calls are refused here. A refused call changes
// nothing. The arena never reads or writes the memory that it manages. Every
// call takes constant time. Calls must not run concurrently.
//
// Sizes are 32-bit numbers of bytes, whatever size_t is. Pass a wider size as
// UINT32_MAX, which no arena grants. An alignment is a power of two and applies
// to addresses. An allocation of 0 bytes may have the same address as other
// allocations. It is refused if its address would be null, which can happen
// only at the end of an arena that ends at the last address of the machine.
#ifndef STOWAGE_MICRO_ARENA_H_
#define STOWAGE_MICRO_ARENA_H_

#include <stdint.h>  // NOLINT(modernize-deprecated-headers): this is C.

#include "stowage/micro/status.h"

// NOLINTBEGIN(modernize-*): this is C.
#ifdef __cplusplus
extern "C" {
#endif

// The regions that an arena has. On a device with a fast and a slow memory, one
// arena may hold the persistent bytes and another arena the rest.
typedef enum {
  STOWAGE_MICRO_ARENA_PERSISTENT = 1,     // has no head and no temporaries
  STOWAGE_MICRO_ARENA_NONPERSISTENT = 2,  // has no tail
  STOWAGE_MICRO_ARENA_SINGLE = 3
} stowage_micro_arena_kind;

// Totals of persistent allocations. The caller may use a separate tally for
// each category of memory.
typedef struct {
  uint32_t requested;  // bytes that callers asked for
  uint32_t used;       // bytes that were taken, including padding
  uint32_t count;      // the number of calls that were granted
} stowage_micro_arena_tally;

// The state of an arena. Only the functions below may write to its fields.
typedef struct {
  uintptr_t start;
  uint32_t size;
  uint32_t head;        // the end of the resizable buffer or overlay
  uint32_t temps_end;   // head <= temps_end <= tail <= size, from the start
  uint32_t tail;        // the first persistent byte
  uint32_t temps;       // the number of temporaries in use
  uintptr_t temps_xor;  // the XOR of the addresses of these temporaries
  uint32_t peak;
  uint32_t alignment;  // the largest alignment of persistent calls
  uint32_t flags;
  stowage_micro_arena_tally* tally;
} stowage_micro_arena;

// Makes *arena an empty arena of `size` bytes at `memory`. `memory` may have
// any alignment, and the arena may end at the last address of the machine.
// Errors, which leave *arena unchanged: NULL_ARGUMENT; BAD_ARENA if the arena
// would end beyond the last address, if the size is UINT32_MAX, or if the kind
// is unknown.
stowage_micro_status stowage_micro_arena_init(stowage_micro_arena* arena,
                                              void* memory, uint32_t size,
                                              stowage_micro_arena_kind kind);

// Allocates `size` bytes permanently, at the tail. Returns null if the
// allocation does not fit between the temporaries and the tail. The bytes of
// freed temporaries become available only when the temporaries are reset.
void* stowage_micro_arena_persistent(stowage_micro_arena* arena, uint32_t size,
                                     uint32_t alignment);

// Adds every later successful persistent allocation to *tally, which must live
// as long as the arena. If `tally` is null, later allocations are not counted.
void stowage_micro_arena_record(stowage_micro_arena* arena,
                                stowage_micro_arena_tally* tally);

// Allocates `size` bytes after all temporaries. Returns null if the allocation
// does not fit.
void* stowage_micro_arena_temp(stowage_micro_arena* arena, uint32_t size,
                               uint32_t alignment);

// Marks a temporary as freed. Its bytes become available at the next reset.
//
// The arena keeps no list of temporaries, so while several temporaries are in
// use, this function accepts any address in the arena. If an accepted address
// was not that of a temporary in use, the arena later refuses to free the last
// temporary, and therefore also to reset the temporaries.
//
// Error: NOT_A_TEMP if no temporary is in use, if only one temporary is in use
// and has a different address, or if the address is outside of the arena.
stowage_micro_status stowage_micro_arena_free_temp(stowage_micro_arena* arena,
                                                   const void* temp);

// Returns 1 if no temporary is in use, else 0.
int stowage_micro_arena_all_temps_freed(const stowage_micro_arena* arena);

// Frees the bytes of all temporaries. Error: TEMPS_IN_USE if a temporary has
// not been freed.
stowage_micro_status stowage_micro_arena_reset_temps(
    stowage_micro_arena* arena);

// Allocates the resizable buffer at the first aligned address. The new buffer
// replaces an existing resizable buffer; in an arena without a tail, however,
// the existing buffer must be freed first. Returns null if the buffer does not
// fit, if temporaries have not been reset, or if the arena has no tail and a
// resizable buffer is in use.
void* stowage_micro_arena_allocate_resizable(stowage_micro_arena* arena,
                                             uint32_t size, uint32_t alignment);

// Changes the size of the resizable buffer to `size` bytes, which may be larger
// or smaller than the current size. Errors: BAD_ALIGNMENT; BAD_BUFFER if
// `buffer` is not the first address of the arena with this alignment;
// TEMPS_IN_USE if temporaries have not been reset; ARENA_FULL.
stowage_micro_status stowage_micro_arena_resize(stowage_micro_arena* arena,
                                                const void* buffer,
                                                uint32_t size,
                                                uint32_t alignment);

// Frees the resizable buffer. Errors: BAD_BUFFER if `buffer` is not the first
// byte of the arena; the other errors of stowage_micro_arena_resize().
stowage_micro_status stowage_micro_arena_free_resizable(
    stowage_micro_arena* arena, const void* buffer);

// Reserves `size` bytes for the tensors of a plan, from the first aligned
// address. The overlay replaces the resizable buffer. A later call may reserve
// more or fewer bytes. If several models share the arena, pass the size of the
// largest plan. Errors: those of stowage_micro_arena_resize().
stowage_micro_status stowage_micro_arena_reserve_overlay(
    stowage_micro_arena* arena, uint32_t size, uint32_t alignment);

// Returns the start of the arena, which need not be aligned.
void* stowage_micro_arena_overlay_address(const stowage_micro_arena* arena);

// Returns the number of free bytes between the first and the last aligned
// address of the free region, or 0 if the alignment is invalid.
uint32_t stowage_micro_arena_available(const stowage_micro_arena* arena,
                                       uint32_t alignment);

// These functions return, in bytes: the part of the arena below the end of the
// temporaries, the part above the tail, the sum of these two parts, and the
// largest value that this sum has had so far.
uint32_t stowage_micro_arena_nonpersistent_bytes(
    const stowage_micro_arena* arena);
uint32_t stowage_micro_arena_persistent_bytes(const stowage_micro_arena* arena);
uint32_t stowage_micro_arena_used_bytes(const stowage_micro_arena* arena);
uint32_t stowage_micro_arena_peak_bytes(const stowage_micro_arena* arena);

// Returns the size that an arena at the same address needs in order to grant
// all calls that this arena has granted: the peak, rounded up. Persistent
// allocations grow down from the end, so their padding depends on the alignment
// of the end. The result is therefore rounded up such that it differs from the
// size of this arena by a multiple of the largest alignment of persistent
// calls, which gives both arenas an end of the same alignment. An arena that is
// smaller than the result by that alignment would refuse one of the calls.
uint32_t stowage_micro_arena_required_bytes(const stowage_micro_arena* arena);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*)

#endif  // STOWAGE_MICRO_ARENA_H_
