// SPDX-License-Identifier: Apache-2.0
// Compares the two-ended arena with recorded calls of the original arena, and
// tests which calls it refuses.
#include "stowage/micro/arena.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/micro/arena_replay.h"
#include "tests/micro/arena_vectors.h"

namespace stowage::micro {
namespace {

// Returns `address` as a pointer. There does not have to be memory at this
// address, because an arena does not access its bytes.
// NOLINTNEXTLINE(performance-no-int-to-ptr)
void* At(uintptr_t address) { return reinterpret_cast<void*>(address); }

stowage_micro_arena ArenaAt(
    uintptr_t address, uint32_t size,
    stowage_micro_arena_kind kind = STOWAGE_MICRO_ARENA_SINGLE) {
  stowage_micro_arena arena;
  EXPECT_EQ(stowage_micro_arena_init(&arena, At(address), size, kind),
            STOWAGE_MICRO_OK);
  return arena;
}

TEST(MicroArena, AnswersAsTheOriginalWhereThatIsSound) {
  int sound = 0;
  int refused = 0;
  uint32_t refused_frees = 0;
  std::ifstream lines(STOWAGE_SOURCE_DIR
                      "/tests/data/vectors/vectors_micro_arena_public.jsonl");
  for (const ArenaVector& vector : ReadArenaVectors(&lines)) {
    const arena_replay_result result =
        replay_arena_everywhere(&vector.sequence);
    EXPECT_EQ(result.fault, nullptr)
        << vector.name << ", call " << result.call << ": " << result.fault;
    refused_frees += result.refused_frees;
    ++(vector.is_sound ? sound : refused);
  }
  EXPECT_EQ(sound, 158);
  EXPECT_EQ(refused, 42);
  // One sequence frees a temporary twice. The original arena does not report
  // this mistake, and cannot be reset afterwards.
  EXPECT_EQ(refused_frees, 1u);
}

TEST(MicroArena, PersistentBytesDoNotLieOnTemporaries) {
  stowage_micro_arena arena = ArenaAt(0x1000, 256);
  void* const temp = stowage_micro_arena_temp(&arena, 200, 4);
  EXPECT_EQ(stowage_micro_arena_persistent(&arena, 57, 1), nullptr);
  // The bytes of a freed temporary are not given to a persistent allocation
  // before the temporaries are reset.
  EXPECT_EQ(stowage_micro_arena_free_temp(&arena, temp), STOWAGE_MICRO_OK);
  EXPECT_EQ(stowage_micro_arena_persistent(&arena, 57, 1), nullptr);
  EXPECT_EQ(stowage_micro_arena_reset_temps(&arena), STOWAGE_MICRO_OK);
  EXPECT_EQ(stowage_micro_arena_persistent(&arena, 57, 1), At(0x1000 + 199));
}

TEST(MicroArena, MayEndAtTheLastAddress) {
  stowage_micro_arena arena = ArenaAt(UINTPTR_MAX - 63, 64);
  EXPECT_EQ(stowage_micro_arena_available(&arena, 16), 64u);
  stowage_micro_arena_tally tally = {};
  stowage_micro_arena_record(&arena, &tally);
  // The arena ends at the last address, so 0 bytes at its end would have the
  // null address.
  EXPECT_EQ(stowage_micro_arena_persistent(&arena, 0, 1), nullptr);
  EXPECT_EQ(tally.count, 0u);
  EXPECT_EQ(stowage_micro_arena_persistent(&arena, 1, 1), At(UINTPTR_MAX));
  EXPECT_EQ(stowage_micro_arena_temp(&arena, 63, 1), At(UINTPTR_MAX - 63));
  EXPECT_EQ(stowage_micro_arena_temp(&arena, 1, 1), nullptr);
  EXPECT_EQ(stowage_micro_arena_temp(&arena, 0, 64), nullptr);
  EXPECT_EQ(stowage_micro_arena_temp(&arena, 0, 1), At(UINTPTR_MAX));
  EXPECT_EQ(stowage_micro_arena_available(&arena, 1), 0u);

  arena = ArenaAt(UINTPTR_MAX - 63, 64);
  EXPECT_EQ(stowage_micro_arena_temp(&arena, 64, 1), At(UINTPTR_MAX - 63));
  EXPECT_EQ(stowage_micro_arena_temp(&arena, 0, 1), nullptr);
  EXPECT_EQ(stowage_micro_arena_used_bytes(&arena), 64u);
  EXPECT_EQ(stowage_micro_arena_free_temp(&arena, At(UINTPTR_MAX - 63)),
            STOWAGE_MICRO_OK);
  EXPECT_EQ(stowage_micro_arena_all_temps_freed(&arena), 1);

  arena = ArenaAt(UINTPTR_MAX - 63, 64);
  EXPECT_EQ(stowage_micro_arena_temp(&arena, 60, 1), At(UINTPTR_MAX - 63));
  EXPECT_EQ(stowage_micro_arena_temp(&arena, 0, 16), nullptr);
  EXPECT_EQ(stowage_micro_arena_used_bytes(&arena), 60u);

  // The arena ends at the null address, which is not the address of a
  // temporary.
  arena = ArenaAt(UINTPTR_MAX - 63, 64);
  stowage_micro_arena_temp(&arena, 32, 1);
  stowage_micro_arena_temp(&arena, 32, 1);
  EXPECT_EQ(stowage_micro_arena_free_temp(&arena, nullptr),
            STOWAGE_MICRO_NOT_A_TEMP);
}

TEST(MicroArena, IsNotMadeOfMemoryThatDoesNotExist) {
  stowage_micro_arena arena = ArenaAt(0x1000, 256);
  const auto init = [&](void* memory, uint32_t size, int kind) {
    return stowage_micro_arena_init(
        &arena, memory, size, static_cast<stowage_micro_arena_kind>(kind));
  };
  EXPECT_EQ(init(nullptr, 256, 3), STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT_EQ(stowage_micro_arena_init(nullptr, At(0x1000), 256,
                                     STOWAGE_MICRO_ARENA_SINGLE),
            STOWAGE_MICRO_NULL_ARGUMENT);
  EXPECT_EQ(init(At(UINTPTR_MAX - 63), 65, 3), STOWAGE_MICRO_BAD_ARENA);
  EXPECT_EQ(init(At(UINTPTR_MAX), 2, 3), STOWAGE_MICRO_BAD_ARENA);
  EXPECT_EQ(init(At(1), UINT32_MAX, 3), STOWAGE_MICRO_BAD_ARENA);
  for (const int kind : {0, 4, 7}) {
    EXPECT_EQ(init(At(0x1000), 256, kind), STOWAGE_MICRO_BAD_ARENA);
  }
  EXPECT_EQ(stowage_micro_arena_persistent_bytes(&arena), 0u);
  EXPECT_EQ(arena.size, 256u);
  EXPECT_EQ(init(At(UINTPTR_MAX), 1, 3), STOWAGE_MICRO_OK);
  EXPECT_EQ(init(At(1), UINT32_MAX - 1, 3), STOWAGE_MICRO_OK);
  EXPECT_EQ(stowage_micro_arena_temp(&arena, UINT32_MAX - 1, 1), At(1));
}

TEST(MicroArena, OfOneEndRefusesTheOther) {
  stowage_micro_arena tail =
      ArenaAt(0x1000, 256, STOWAGE_MICRO_ARENA_PERSISTENT);
  EXPECT_EQ(stowage_micro_arena_temp(&tail, 1, 1), nullptr);
  EXPECT_EQ(stowage_micro_arena_allocate_resizable(&tail, 1, 1), nullptr);
  EXPECT_EQ(stowage_micro_arena_reserve_overlay(&tail, 1, 1),
            STOWAGE_MICRO_ARENA_FULL);
  EXPECT_NE(stowage_micro_arena_persistent(&tail, 256, 1), nullptr);

  stowage_micro_arena head =
      ArenaAt(0x1000, 256, STOWAGE_MICRO_ARENA_NONPERSISTENT);
  EXPECT_EQ(stowage_micro_arena_persistent(&head, 1, 1), nullptr);
  void* const buffer = stowage_micro_arena_allocate_resizable(&head, 8, 1);
  EXPECT_NE(buffer, nullptr);
  EXPECT_EQ(stowage_micro_arena_allocate_resizable(&head, 8, 1), nullptr);
  EXPECT_EQ(stowage_micro_arena_free_resizable(&head, buffer),
            STOWAGE_MICRO_OK);
  EXPECT_NE(stowage_micro_arena_allocate_resizable(&head, 256, 1), nullptr);
}

TEST(MicroArena, SaysWhyAHeadIsRefused) {
  stowage_micro_arena arena = ArenaAt(0x1008, 256);
  EXPECT_EQ(stowage_micro_arena_resize(&arena, At(0x1008), 1, 0),
            STOWAGE_MICRO_BAD_ALIGNMENT);
  EXPECT_EQ(stowage_micro_arena_resize(&arena, At(0x1008), 1, 16),
            STOWAGE_MICRO_BAD_BUFFER);
  EXPECT_EQ(stowage_micro_arena_resize(&arena, At(0x1010), 249, 16),
            STOWAGE_MICRO_ARENA_FULL);
  EXPECT_EQ(stowage_micro_arena_resize(&arena, At(0x1010), 248, 16),
            STOWAGE_MICRO_OK);
  EXPECT_EQ(stowage_micro_arena_resize(&arena, At(0x1010), 8, 16),
            STOWAGE_MICRO_OK);
  EXPECT_EQ(stowage_micro_arena_nonpersistent_bytes(&arena), 16u);
  EXPECT_EQ(stowage_micro_arena_free_resizable(&arena, At(0x1010)),
            STOWAGE_MICRO_BAD_BUFFER);
  EXPECT_NE(stowage_micro_arena_temp(&arena, 1, 1), nullptr);
  EXPECT_EQ(stowage_micro_arena_reserve_overlay(&arena, 8, 16),
            STOWAGE_MICRO_TEMPS_IN_USE);
}

// The arena keeps no list of temporaries. If a wrong address is freed instead
// of a temporary, the arena detects the mistake no later than when the last
// temporary is freed.
TEST(MicroArena, FindsOutWhatWasFreedInPlaceOfATemporary) {
  stowage_micro_arena arena = ArenaAt(0x1000, 256);
  void* const first = stowage_micro_arena_temp(&arena, 32, 4);
  void* const second = stowage_micro_arena_temp(&arena, 32, 4);
  EXPECT_EQ(stowage_micro_arena_free_temp(&arena, At(0x1010)),
            STOWAGE_MICRO_OK);
  EXPECT_EQ(stowage_micro_arena_free_temp(&arena, first),
            STOWAGE_MICRO_NOT_A_TEMP);
  EXPECT_EQ(stowage_micro_arena_free_temp(&arena, second),
            STOWAGE_MICRO_NOT_A_TEMP);
  EXPECT_EQ(stowage_micro_arena_reset_temps(&arena),
            STOWAGE_MICRO_TEMPS_IN_USE);
}

// A temporary of 0 bytes can be freed even if the head has shrunk since the
// temporary was allocated.
TEST(MicroArena, FreesATemporaryOfNoBytesAboveAHeadThatShrank) {
  stowage_micro_arena arena = ArenaAt(0x1000, 256);
  EXPECT_EQ(stowage_micro_arena_reserve_overlay(&arena, 64, 16),
            STOWAGE_MICRO_OK);
  void* const temp = stowage_micro_arena_temp(&arena, 0, 1);
  EXPECT_EQ(temp, At(0x1040));
  EXPECT_EQ(stowage_micro_arena_reserve_overlay(&arena, 16, 16),
            STOWAGE_MICRO_OK);
  EXPECT_EQ(stowage_micro_arena_free_temp(&arena, temp), STOWAGE_MICRO_OK);
  EXPECT_EQ(stowage_micro_arena_reset_temps(&arena), STOWAGE_MICRO_OK);
}

TEST(MicroArena, CountsPersistentBytesByCategory) {
  stowage_micro_arena arena = ArenaAt(0x1000, 1024);
  stowage_micro_arena_tally kernels = {};
  stowage_micro_arena_tally variables = {};
  stowage_micro_arena_record(&arena, &kernels);
  stowage_micro_arena_persistent(&arena, 10, 4);
  stowage_micro_arena_persistent(&arena, 5, 16);
  stowage_micro_arena_persistent(&arena, 4096, 4);  // refused
  stowage_micro_arena_record(&arena, &variables);
  stowage_micro_arena_persistent(&arena, 100, 16);
  stowage_micro_arena_record(&arena, nullptr);
  stowage_micro_arena_persistent(&arena, 16, 16);
  EXPECT_EQ(kernels.requested, 15u);
  EXPECT_EQ(kernels.used, 32u);
  EXPECT_EQ(kernels.count, 2u);
  EXPECT_EQ(variables.requested, 100u);
  EXPECT_EQ(variables.used, 112u);
  EXPECT_EQ(variables.count, 1u);
  EXPECT_EQ(stowage_micro_arena_persistent_bytes(&arena), 32u + 112 + 16);
}

TEST(MicroArena, RequiresItsPeakAndNotItsLastUse) {
  stowage_micro_arena arena = ArenaAt(0x1000, 1000);
  // The call uses 104 bytes, because 1000 - 104 is a multiple of 16.
  stowage_micro_arena_persistent(&arena, 100, 16);
  void* const temp = stowage_micro_arena_temp(&arena, 300, 4);
  EXPECT_EQ(stowage_micro_arena_free_temp(&arena, temp), STOWAGE_MICRO_OK);
  EXPECT_EQ(stowage_micro_arena_reset_temps(&arena), STOWAGE_MICRO_OK);
  EXPECT_EQ(stowage_micro_arena_used_bytes(&arena), 104u);
  EXPECT_EQ(stowage_micro_arena_peak_bytes(&arena), 404u);
  // The end of the arena is 8 modulo 16. The end of the required arena must
  // also be 8 modulo 16, because otherwise the persistent bytes would be
  // aligned differently.
  EXPECT_EQ(stowage_micro_arena_required_bytes(&arena), 408u);
}

// Each model allocates its own persistent bytes when it is prepared. All models
// share one head, which is as large as the largest plan.
TEST(MicroArena, ServesSeveralModels) {
  stowage_micro_arena arena = ArenaAt(0x1000, 4096);
  const uint32_t plans[] = {512, 2048, 1024};
  uint32_t largest = 0;
  for (const uint32_t plan : plans) {
    EXPECT_NE(stowage_micro_arena_persistent(&arena, 160, 16), nullptr);
    if (plan > largest) largest = plan;
    EXPECT_EQ(stowage_micro_arena_reserve_overlay(&arena, largest, 16),
              STOWAGE_MICRO_OK);
  }
  EXPECT_EQ(stowage_micro_arena_nonpersistent_bytes(&arena), 2048u);
  EXPECT_EQ(stowage_micro_arena_persistent_bytes(&arena), 480u);
  EXPECT_EQ(stowage_micro_arena_required_bytes(&arena), 2528u);
}

}  // namespace
}  // namespace stowage::micro
