// SPDX-License-Identifier: Apache-2.0
// Replays a recorded sequence of calls in an arena of ours and compares every
// answer. Without heap and C++ library, so that a host and a device run it; the
// recorded sequences are read by arena_vectors.h.
#ifndef STOWAGE_TESTS_MICRO_ARENA_REPLAY_H_
#define STOWAGE_TESTS_MICRO_ARENA_REPLAY_H_

#include <stdint.h>

#include "stowage/micro/arena.h"

namespace stowage::micro {

enum class ArenaOp : uint8_t {
  kPersistent,
  kTemp,
  kFreeTemp,
  kAllTempsFreed,
  kResetTemps,
  kAllocateResizable,
  kResize,
  kFreeResizable,
  kReserveOverlay,
  kOverlayAddress,
  kAvailable,
};

constexpr uint32_t kRefused = UINT32_MAX;

// Addresses are offsets from the start of the arena.
struct ArenaCall {
  ArenaOp op;
  uint32_t offset;  // of what is freed or resized
  uint32_t size;    // UINT32_MAX for what 32 bits do not hold
  uint32_t alignment;
  uint32_t answer;  // an offset, a number, 1 for success; or kRefused
  uint32_t head;    // non-persistent bytes after the call
  uint32_t tail;    // persistent bytes after the call
};

struct ArenaSequence {
  stowage_micro_arena_kind kind;
  uint32_t size;
  uint32_t base_mod64;     // the address of the arena, modulo 64
  uint32_t first_unsound;  // index of the call that has to be refused, or count
  const ArenaCall* calls;
  uint32_t count;
};

struct ReplayResult {
  const char* fault;       // what is wrong; null if nothing is
  uint32_t call;           // at which call
  uint32_t refused_frees;  // of what was not in use: the original has no answer
};

// Replays the sequence in an arena whose first byte is `memory`, at an address
// that is base_mod64 modulo 64 and is not accessed. The call at first_unsound
// ends it. Before every call each kind of call that has to be refused is tried,
// and has to leave the arena as it was. At the end the sequence is replayed in
// an arena of the size required, where every call is granted, and in one that
// is smaller by the largest alignment of persistent calls, where one is not.
ReplayResult Replay(const ArenaSequence& sequence, void* memory);

}  // namespace stowage::micro

#endif  // STOWAGE_TESTS_MICRO_ARENA_REPLAY_H_
