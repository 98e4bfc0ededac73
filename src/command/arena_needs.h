// SPDX-License-Identifier: Apache-2.0
// Parts of the report of `stowage arena`: what a program must bring for a model
// beside the arena, and whether a capacity is enough.
#ifndef STOWAGE_SRC_COMMAND_ARENA_NEEDS_H_
#define STOWAGE_SRC_COMMAND_ARENA_NEEDS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "src/command/json.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage::cli {

// Returns a table of the operators, and of what registers each.
std::string OperatorsTable(absl::Span<const MicroOperator> operators);

// Returns a list with the keys `name`, `custom`, `uses`, `upstream` and
// `register`, which is null where upstream has no kernel.
Json OperatorsJson(absl::Span<const MicroOperator> operators);

// An arena that a model could have.
struct ArenaChoice {
  std::string title;  // as the user reads it
  std::string key;    // as programs do
  size_t bytes = 0;
};

// An arena that is larger than the capacity.
struct ArenaOverflow {
  size_t capacity = 0;
  MicroArena arena;
  // The buffers that are live where the head is largest, the largest first.
  std::vector<MicroBuffer> peak;
  TaskId peak_task = 0;
  std::vector<ArenaChoice> fitting;  // others that do fit
};

// `buffers` are those of the head.
ArenaOverflow FindOverflow(const MicroArena& arena, size_t capacity,
                           std::vector<MicroBuffer> buffers,
                           absl::Span<const ArenaChoice> choices);

// Returns what does not fit, in one line without its end.
std::string OverflowText(const Model& model, const ArenaOverflow& overflow);

// Returns the same as an object.
Json OverflowJson(const Model& model, const ArenaOverflow& overflow);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_ARENA_NEEDS_H_
