// SPDX-License-Identifier: Apache-2.0
#include "tests/micro/arena_replay.h"

#include <stddef.h>
#include <stdint.h>

#include "stowage/micro/status.h"

typedef struct {
  stowage_micro_arena arena;
  stowage_micro_arena_tally tally;
  uintptr_t memory;
  // The size of the recorded arena minus the size of this arena, in bytes.
  uint32_t missing;
  uint32_t peak;
} player;

static int start(player* it, const arena_sequence* sequence, void* memory,
                 uint32_t size) {
  const stowage_micro_arena_tally none = {0, 0, 0};
  it->tally = none;
  it->memory = (uintptr_t)memory;
  it->missing = sequence->size - size;
  it->peak = 0;
  if (stowage_micro_arena_init(&it->arena, memory, size, sequence->kind) !=
      STOWAGE_MICRO_OK) {
    return 0;
  }
  stowage_micro_arena_record(&it->arena, &it->tally);
  return 1;
}

static int same_state(const player* a, const player* b) {
  const stowage_micro_arena* const x = &a->arena;
  const stowage_micro_arena* const y = &b->arena;
  return x->start == y->start && x->size == y->size && x->head == y->head &&
         x->temps_end == y->temps_end && x->tail == y->tail &&
         x->temps == y->temps && x->temps_xor == y->temps_xor &&
         x->peak == y->peak && x->alignment == y->alignment &&
         x->flags == y->flags && x->tally == y->tally &&
         a->tally.requested == b->tally.requested &&
         a->tally.used == b->tally.used && a->tally.count == b->tally.count;
}

static uint32_t offset_of(const player* it, const void* address) {
  return address == NULL ? ARENA_REFUSED
                         : (uint32_t)((uintptr_t)address - it->memory);
}

// Returns a pointer to `address`. There does not have to be memory at this
// address, because an arena does not access its bytes.
static void* at_address(uintptr_t address) {
  return (void*)address;  // NOLINT(performance-no-int-to-ptr)
}

static void* address_of(const player* it, uint32_t offset) {
  return at_address(it->memory + offset);
}

static uint32_t success(stowage_micro_status status) {
  return status == STOWAGE_MICRO_OK ? 1 : ARENA_REFUSED;
}

static uint32_t take_persistent(player* it, const arena_call* call) {
  const uint32_t offset = offset_of(
      it,
      stowage_micro_arena_persistent(&it->arena, call->size, call->alignment));
  // The distance of persistent bytes from the end of the arena does not depend
  // on the size of the arena, so the offset is corrected by the difference of
  // the sizes.
  return offset == ARENA_REFUSED ? offset : offset + it->missing;
}

// Makes the recorded call in this arena and returns the answer.
static uint32_t play(player* it, const arena_call* call) {
  stowage_micro_arena* const arena = &it->arena;
  void* const buffer = address_of(it, call->offset);
  switch (call->op) {
    case ARENA_PERSISTENT:
      return take_persistent(it, call);
    case ARENA_TEMP:
      return offset_of(
          it, stowage_micro_arena_temp(arena, call->size, call->alignment));
    case ARENA_FREE_TEMP:
      return success(stowage_micro_arena_free_temp(arena, buffer));
    case ARENA_ALL_TEMPS_FREED:
      return stowage_micro_arena_all_temps_freed(arena) ? 1 : ARENA_REFUSED;
    case ARENA_RESET_TEMPS:
      return success(stowage_micro_arena_reset_temps(arena));
    case ARENA_ALLOCATE_RESIZABLE:
      return offset_of(it, stowage_micro_arena_allocate_resizable(
                               arena, call->size, call->alignment));
    case ARENA_RESIZE:
      return success(stowage_micro_arena_resize(arena, buffer, call->size,
                                                call->alignment));
    case ARENA_FREE_RESIZABLE:
      return success(stowage_micro_arena_free_resizable(arena, buffer));
    case ARENA_RESERVE_OVERLAY:
      return success(stowage_micro_arena_reserve_overlay(arena, call->size,
                                                         call->alignment));
    case ARENA_OVERLAY_ADDRESS:
      return offset_of(it, stowage_micro_arena_overlay_address(arena));
    case ARENA_AVAILABLE:
      return stowage_micro_arena_available(arena, call->alignment);
  }
  return ARENA_REFUSED;
}

// Makes requests that the arena must refuse because `size` bytes are not free
// or `alignment` is invalid. Returns null if all requests are refused, and
// otherwise a text that describes what was granted.
static const char* request(player* it, uint32_t size, uint32_t alignment) {
  stowage_micro_arena* const arena = &it->arena;
  if (stowage_micro_arena_persistent(arena, size, alignment) != NULL) {
    return "persistent bytes were granted";
  }
  if (stowage_micro_arena_temp(arena, size, alignment) != NULL) {
    return "a temporary was granted";
  }
  // A request for a head of this size may be granted, because a new head may
  // reuse the bytes of the old head.
  if (alignment == 1 && size <= arena->tail) return NULL;
  if (stowage_micro_arena_allocate_resizable(arena, size, alignment) != NULL ||
      stowage_micro_arena_resize(arena, address_of(it, 0), size, alignment) ==
          STOWAGE_MICRO_OK ||
      stowage_micro_arena_reserve_overlay(arena, size, alignment) ==
          STOWAGE_MICRO_OK) {
    return "a head was granted";
  }
  return NULL;
}

// Tries to free and to resize addresses that are not in use. Returns null if
// every attempt is refused, and otherwise a text that describes the failure.
static const char* pass_foreign_addresses(player* it) {
  stowage_micro_arena* const arena = &it->arena;
  const void* const foreign[] = {NULL, address_of(it, arena->size + 1),
                                 address_of(it, UINT32_MAX - arena->size),
                                 address_of(it, UINT32_MAX)};
  for (uint32_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); ++i) {
    if (stowage_micro_arena_free_temp(arena, foreign[i]) !=
        STOWAGE_MICRO_NOT_A_TEMP) {
      return "what lies outside was freed";
    }
    if (stowage_micro_arena_resize(arena, foreign[i], 0, 1) !=
            STOWAGE_MICRO_BAD_BUFFER ||
        stowage_micro_arena_free_resizable(arena, foreign[i]) !=
            STOWAGE_MICRO_BAD_BUFFER) {
      return "what lies outside was resized";
    }
  }
  if (arena->temps <= 1) {
    const uintptr_t other =
        arena->temps == 0 ? it->memory + arena->head : arena->temps_xor + 1;
    if (stowage_micro_arena_free_temp(arena, at_address(other)) !=
        STOWAGE_MICRO_NOT_A_TEMP) {
      return "another than the last temporary was freed";
    }
  }
  if (arena->temps != 0 &&
      stowage_micro_arena_reset_temps(arena) != STOWAGE_MICRO_TEMPS_IN_USE) {
    return "temporaries in use were reset";
  }
  return NULL;
}

// Makes every kind of call that must be refused. Returns null if all calls are
// refused and the arena is unchanged, and otherwise a text that describes the
// failure.
static const char* try_refusals(player* it) {
  const player before = *it;
  const uint32_t size = it->arena.size;
  const uint32_t sizes[] = {it->arena.tail - it->arena.temps_end + 1, size + 1,
                            UINT32_MAX - 1, UINT32_MAX};
  const uint32_t alignments[] = {0, 3, 48, UINT32_MAX};
  const char* fault = NULL;
  for (uint32_t i = 0; i < 4 && fault == NULL; ++i) {
    fault = request(it, sizes[i], 1);
    if (fault == NULL) fault = request(it, 0, alignments[i]);
    if (stowage_micro_arena_available(&it->arena, alignments[i]) != 0) {
      fault = "bytes are available in a bad alignment";
    }
  }
  if (fault == NULL) fault = pass_foreign_addresses(it);
  if (fault != NULL) return fault;
  return same_state(&before, it) ? NULL : "a refusal changed the arena";
}

// Makes an unsound call that the original arena grants. Returns null if this
// arena refuses the call and is unchanged, and otherwise a text that describes
// the failure.
static const char* try_unsound(player* it, const arena_call* call) {
  const player before = *it;
  const uint32_t refused = call->op == ARENA_AVAILABLE ? 0 : ARENA_REFUSED;
  if (play(it, call) != refused) return "an unsound call was granted";
  return same_state(&before, it) ? NULL : "a refusal changed the arena";
}

// Compares the numbers of bytes after the call with the recorded numbers.
// Returns null if all are equal, and otherwise the name of a number that
// differs.
static const char* check_numbers(player* it, const arena_call* call) {
  const stowage_micro_arena* const arena = &it->arena;
  const uint32_t used = call->head + call->tail;
  if (used > it->peak) it->peak = used;
  if (stowage_micro_arena_nonpersistent_bytes(arena) != call->head) {
    return "other non-persistent bytes";
  }
  if (stowage_micro_arena_persistent_bytes(arena) != call->tail) {
    return "other persistent bytes";
  }
  if (stowage_micro_arena_used_bytes(arena) != used) return "another use";
  if (stowage_micro_arena_peak_bytes(arena) != it->peak) {
    return "another peak";
  }
  return it->tally.used == call->tail ? NULL : "another tally";
}

// Returns whether an arena of `size` bytes grants all calls that the recorded
// arena granted.
static int is_sufficient(const arena_sequence* sequence, void* memory,
                         uint32_t size) {
  player it;
  if (!start(&it, sequence, memory, size)) return 0;
  for (uint32_t i = 0; i < sequence->first_unsound; ++i) {
    const arena_call* const call = &sequence->calls[i];
    // A smaller arena may refuse these calls for other reasons or report other
    // numbers of available bytes, so these calls are not compared.
    if (call->answer == ARENA_REFUSED || call->op == ARENA_AVAILABLE) continue;
    if (play(&it, call) == ARENA_REFUSED && call->op != ARENA_FREE_TEMP) {
      return 0;
    }
  }
  return 1;
}

static const char* check_required(const arena_sequence* sequence, void* memory,
                                  const stowage_micro_arena* arena) {
  const uint32_t required = stowage_micro_arena_required_bytes(arena);
  if (required > arena->size || required < arena->peak ||
      required - arena->peak >= arena->alignment) {
    return "another size required";
  }
  if (!is_sufficient(sequence, memory, required)) {
    return "the size required is not sufficient";
  }
  if (arena->peak > 0 && required >= arena->alignment &&
      is_sufficient(sequence, memory, required - arena->alignment)) {
    return "the size required is not necessary";
  }
  return NULL;
}

static const char* replay_call(player* it, const arena_call* call,
                               uint32_t* refused_frees) {
  const uint32_t temps = it->arena.temps;
  const uint32_t answer = play(it, call);
  if (call->op == ARENA_FREE_TEMP && temps == 0) {
    if (answer != ARENA_REFUSED) return "what is not in use was freed";
    ++*refused_frees;
  } else if (answer != call->answer) {
    return "another answer";
  }
  return check_numbers(it, call);
}

arena_replay_result replay_arena(const arena_sequence* sequence, void* memory) {
  arena_replay_result result = {NULL, 0, 0};
  player it;
  if (!start(&it, sequence, memory, sequence->size)) {
    result.fault = "there is no arena";
    return result;
  }
  for (; result.call < sequence->count; ++result.call) {
    const arena_call* const call = &sequence->calls[result.call];
    result.fault = try_refusals(&it);
    if (result.fault != NULL) return result;
    if (result.call == sequence->first_unsound) {
      result.fault = try_unsound(&it, call);
      break;
    }
    result.fault = replay_call(&it, call, &result.refused_frees);
    if (result.fault != NULL) return result;
  }
  if (result.fault == NULL) {
    result.fault = check_required(sequence, memory, &it.arena);
  }
  return result;
}

// Returns the highest multiple of 64 at which the arena can begin without
// passing the end of the address space. If a call gets 0 bytes at the end of
// the arena, the arena must end before the last address, because the address of
// these bytes would otherwise be null.
static uintptr_t highest_base(const arena_sequence* sequence) {
  uintptr_t bytes = (uintptr_t)sequence->size + sequence->base_mod64;
  for (uint32_t i = 0; i < sequence->count; ++i) {
    const arena_call* const call = &sequence->calls[i];
    if (call->size == 0 && call->answer == sequence->size) {
      return (0 - (bytes + 1)) / 64 * 64;
    }
  }
  return (0 - bytes) / 64 * 64;
}

arena_replay_result replay_arena_everywhere(const arena_sequence* sequence) {
  const uintptr_t bases[] = {
    0x20000000,
    highest_base(sequence),
#if UINTPTR_MAX > UINT32_MAX
    ((uintptr_t)1 << 32) - 1024
#endif
  };
  arena_replay_result result = {NULL, 0, 0};
  for (uint32_t i = 0;
       i < sizeof(bases) / sizeof(bases[0]) && result.fault == NULL; ++i) {
    result =
        replay_arena(sequence, at_address(bases[i] + sequence->base_mod64));
  }
  return result;
}
