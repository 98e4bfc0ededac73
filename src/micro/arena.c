// SPDX-License-Identifier: Apache-2.0
// All positions are offsets from the start of the arena, which fit in 32 bits
// even if the arena ends at the last address. Addresses are used only as
// arguments and results of functions.
#include "stowage/micro/arena.h"

#include <stddef.h>
#include <stdint.h>

// The bit of `flags` that is set while a resizable buffer is in use. The other
// bits are the kind of the arena.
#define RESIZABLE_IN_USE 4u

// x ^ (x - 1) exceeds x - 1 if and only if x is a power of two. For x = 0 the
// two numbers are equal.
static int is_alignment(uint32_t alignment) {
  return (alignment ^ (alignment - 1)) > alignment - 1;
}

static void* address_of(const stowage_micro_arena* arena, uint32_t offset) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): past the last address is null.
  return (void*)(arena->start + offset);
}

// padding_above returns the number of bytes from the address at `offset` up to
// the next aligned address. padding_below returns the number of bytes from the
// previous aligned address up to the address at `offset`.
static uint32_t padding_above(const stowage_micro_arena* arena, uint32_t offset,
                              uint32_t alignment) {
  return (0 - (uint32_t)arena->start - offset) & (alignment - 1);
}
static uint32_t padding_below(const stowage_micro_arena* arena, uint32_t offset,
                              uint32_t alignment) {
  return ((uint32_t)arena->start + offset) & (alignment - 1);
}

static void update_peak(stowage_micro_arena* arena) {
  const uint32_t used = stowage_micro_arena_used_bytes(arena);
  if (used > arena->peak) arena->peak = used;
}

// Appends `size` bytes to the temporaries, at the first aligned address at or
// above the offset `from`, and returns this address. Returns null and changes
// nothing if the bytes do not fit below the tail, or if the address is null.
static void* end_temps_with(stowage_micro_arena* arena, uint32_t from,
                            uint32_t size, uint32_t alignment) {
  const uint32_t room = arena->tail - from;
  const uint32_t padding = padding_above(arena, from, alignment);
  void* const address = address_of(arena, from + padding);
  if ((arena->flags & STOWAGE_MICRO_ARENA_NONPERSISTENT) == 0 ||
      !is_alignment(alignment) || padding > room || size > room - padding ||
      address == NULL) {
    return NULL;
  }
  arena->temps_end = from + padding + size;
  update_peak(arena);
  return address;
}

stowage_micro_status stowage_micro_arena_init(stowage_micro_arena* arena,
                                              void* memory, uint32_t size,
                                              stowage_micro_arena_kind kind) {
  const uintptr_t start = (uintptr_t)memory;
  const uint32_t flags = (uint32_t)kind;
  if (arena == NULL || memory == NULL) return STOWAGE_MICRO_NULL_ARGUMENT;
  // 0 - start is the number of bytes from `start` to the end of the address
  // space.
  if (size == UINT32_MAX || size > 0 - start ||
      flags - 1 >= STOWAGE_MICRO_ARENA_SINGLE) {
    return STOWAGE_MICRO_BAD_ARENA;
  }
  arena->start = start;
  arena->size = size;
  arena->head = 0;
  arena->temps_end = 0;
  arena->tail = size;
  arena->temps = 0;
  arena->temps_xor = 0;
  arena->peak = 0;
  arena->alignment = 1;
  arena->flags = flags;
  arena->tally = NULL;
  return STOWAGE_MICRO_OK;
}

void* stowage_micro_arena_persistent(stowage_micro_arena* arena, uint32_t size,
                                     uint32_t alignment) {
  stowage_micro_arena_tally* const tally = arena->tally;
  const uint32_t room = arena->tail - arena->temps_end;
  const uint32_t padding = padding_below(arena, arena->tail - size, alignment);
  const uint32_t offset = arena->tail - size - padding;
  void* const address = address_of(arena, offset);
  if ((arena->flags & STOWAGE_MICRO_ARENA_PERSISTENT) == 0 ||
      !is_alignment(alignment) || size > room || padding > room - size ||
      address == NULL) {
    return NULL;
  }
  if (tally != NULL) {
    tally->requested += size;
    tally->used += size + padding;
    ++tally->count;
  }
  arena->tail = offset;
  if (alignment > arena->alignment) arena->alignment = alignment;
  update_peak(arena);
  return address;
}

void stowage_micro_arena_record(stowage_micro_arena* arena,
                                stowage_micro_arena_tally* tally) {
  arena->tally = tally;
}

void* stowage_micro_arena_temp(stowage_micro_arena* arena, uint32_t size,
                               uint32_t alignment) {
  void* const temp = end_temps_with(arena, arena->temps_end, size, alignment);
  if (temp == NULL) return NULL;
  ++arena->temps;
  arena->temps_xor ^= (uintptr_t)temp;
  return temp;
}

stowage_micro_status stowage_micro_arena_free_temp(stowage_micro_arena* arena,
                                                   const void* temp) {
  const uintptr_t address = (uintptr_t)temp;
  // A temporary of 0 bytes may be anywhere in the arena, even in the head,
  // because the head may have been resized since. The address is therefore
  // compared with the bounds of the whole arena.
  if (temp == NULL || arena->temps == 0 ||
      address - arena->start > arena->size ||
      (arena->temps == 1 && address != arena->temps_xor)) {
    return STOWAGE_MICRO_NOT_A_TEMP;
  }
  --arena->temps;
  arena->temps_xor ^= address;
  return STOWAGE_MICRO_OK;
}

int stowage_micro_arena_all_temps_freed(const stowage_micro_arena* arena) {
  return arena->temps == 0;
}

stowage_micro_status stowage_micro_arena_reset_temps(
    stowage_micro_arena* arena) {
  if (arena->temps != 0) return STOWAGE_MICRO_TEMPS_IN_USE;
  arena->temps_end = arena->head;
  return STOWAGE_MICRO_OK;
}

stowage_micro_status stowage_micro_arena_resize(stowage_micro_arena* arena,
                                                const void* buffer,
                                                uint32_t size,
                                                uint32_t alignment) {
  if (!is_alignment(alignment)) return STOWAGE_MICRO_BAD_ALIGNMENT;
  if (buffer != address_of(arena, padding_above(arena, 0, alignment))) {
    return STOWAGE_MICRO_BAD_BUFFER;
  }
  if (arena->head != arena->temps_end) return STOWAGE_MICRO_TEMPS_IN_USE;
  if (end_temps_with(arena, 0, size, alignment) == NULL) {
    return STOWAGE_MICRO_ARENA_FULL;
  }
  arena->head = arena->temps_end;
  return STOWAGE_MICRO_OK;
}

stowage_micro_status stowage_micro_arena_reserve_overlay(
    stowage_micro_arena* arena, uint32_t size, uint32_t alignment) {
  return stowage_micro_arena_resize(
      arena, address_of(arena, padding_above(arena, 0, alignment)), size,
      alignment);
}

void* stowage_micro_arena_allocate_resizable(stowage_micro_arena* arena,
                                             uint32_t size,
                                             uint32_t alignment) {
  if (arena->flags == (STOWAGE_MICRO_ARENA_NONPERSISTENT | RESIZABLE_IN_USE) ||
      stowage_micro_arena_reserve_overlay(arena, size, alignment) !=
          STOWAGE_MICRO_OK) {
    return NULL;
  }
  arena->flags |= RESIZABLE_IN_USE;
  return address_of(arena, padding_above(arena, 0, alignment));
}

stowage_micro_status stowage_micro_arena_free_resizable(
    stowage_micro_arena* arena, const void* buffer) {
  const stowage_micro_status status =
      stowage_micro_arena_resize(arena, buffer, 0, 1);
  if (status == STOWAGE_MICRO_OK) arena->flags &= ~RESIZABLE_IN_USE;
  return status;
}

void* stowage_micro_arena_overlay_address(const stowage_micro_arena* arena) {
  return address_of(arena, 0);
}

uint32_t stowage_micro_arena_available(const stowage_micro_arena* arena,
                                       uint32_t alignment) {
  const uint32_t room = arena->tail - arena->temps_end;
  const uint32_t padding = padding_above(arena, arena->temps_end, alignment) +
                           padding_below(arena, arena->tail, alignment);
  return is_alignment(alignment) && padding < room ? room - padding : 0;
}

uint32_t stowage_micro_arena_nonpersistent_bytes(
    const stowage_micro_arena* arena) {
  return arena->temps_end;
}

uint32_t stowage_micro_arena_persistent_bytes(
    const stowage_micro_arena* arena) {
  return arena->size - arena->tail;
}

uint32_t stowage_micro_arena_used_bytes(const stowage_micro_arena* arena) {
  return arena->temps_end + (arena->size - arena->tail);
}

uint32_t stowage_micro_arena_peak_bytes(const stowage_micro_arena* arena) {
  return arena->peak;
}

uint32_t stowage_micro_arena_required_bytes(const stowage_micro_arena* arena) {
  return arena->size - ((arena->size - arena->peak) & ~(arena->alignment - 1));
}
