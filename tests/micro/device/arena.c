// SPDX-License-Identifier: Apache-2.0
// Replays the recorded calls of the original arena on the device. Before each
// recorded call, makes calls that the arena must refuse.
#include "stowage/micro/arena.h"

#include <stddef.h>
#include <stdint.h>

#include "tests/micro/arena_replay.h"
#include "tests/micro/device/arena_vectors.inc"
#include "tests/micro/device/device.h"

static void expect_the_answers_of_the_original(void) {
  uint32_t sound = 0;
  for (uint32_t i = 0; i < kArenaSequenceCount; ++i) {
    const arena_sequence* const sequence = &kArenaSequences[i];
    const arena_replay_result result = replay_arena_everywhere(sequence);
    if (sequence->first_unsound == sequence->count) ++sound;
    if (result.fault == NULL) continue;
    EXPECT(result.fault == NULL);
    print("sequence ");
    print_number(i);
    print(", call ");
    print_number(result.call);
    print(": ");
    print(result.fault);
    print("\n");
  }
  EXPECT(kArenaSequenceCount == 200);
  EXPECT(sound == 158);
}

// Returns the address that is `above` bytes below the last address.
static void* from_the_end(uintptr_t above) {
  return (void*)(UINTPTR_MAX - above);  // NOLINT(performance-no-int-to-ptr)
}

// An arena can use every byte of the address space, including the last one.
static void expect_the_last_address_to_be_of_use(void) {
  stowage_micro_arena arena;
  EXPECT(stowage_micro_arena_init(&arena, from_the_end(63), 65,
                                  STOWAGE_MICRO_ARENA_SINGLE) ==
         STOWAGE_MICRO_BAD_ARENA);
  EXPECT(stowage_micro_arena_init(&arena, from_the_end(63), 64,
                                  STOWAGE_MICRO_ARENA_SINGLE) ==
         STOWAGE_MICRO_OK);
  EXPECT(stowage_micro_arena_persistent(&arena, 0, 1) == NULL);
  EXPECT(stowage_micro_arena_persistent(&arena, 1, 1) == from_the_end(0));
  EXPECT(stowage_micro_arena_temp(&arena, 63, 64) == from_the_end(63));
  EXPECT(stowage_micro_arena_temp(&arena, 1, 1) == NULL);
  EXPECT(stowage_micro_arena_temp(&arena, 0, 64) == NULL);
  EXPECT(stowage_micro_arena_available(&arena, 1) == 0);
}

void test_arena(void) {
  expect_the_answers_of_the_original();
  expect_the_last_address_to_be_of_use();
}
