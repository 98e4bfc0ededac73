// SPDX-License-Identifier: Apache-2.0
// Reads the recorded sequences of arena calls for tests/micro/arena_replay.h.
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
  arena_sequence sequence;        // its calls are in `calls`
  std::vector<arena_call> calls;  // the calls of `sequence`
};

// Reads vectors_micro_arena_public.jsonl, which has one sequence per line.
std::vector<ArenaVector> ReadArenaVectors(std::istream* lines);

}  // namespace stowage::micro

#endif  // STOWAGE_TESTS_MICRO_ARENA_VECTORS_H_
