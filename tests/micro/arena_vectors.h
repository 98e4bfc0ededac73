// SPDX-License-Identifier: Apache-2.0
// The recorded sequences of arena calls, as tests/micro/arena_replay.h replays
// them.
#ifndef STOWAGE_TESTS_MICRO_ARENA_VECTORS_H_
#define STOWAGE_TESTS_MICRO_ARENA_VECTORS_H_

#include <istream>
#include <string>
#include <vector>

#include "tests/micro/arena_replay.h"

namespace stowage::micro {

struct ArenaVector {
  std::string name;
  bool is_sound = true;
  arena_sequence sequence;        // with no calls: they are
  std::vector<arena_call> calls;  // here
};

// Those of vectors_micro_arena_public.jsonl, a line each.
std::vector<ArenaVector> ReadArenaVectors(std::istream* lines);

}  // namespace stowage::micro

#endif  // STOWAGE_TESTS_MICRO_ARENA_VECTORS_H_
