// SPDX-License-Identifier: Apache-2.0
// Parts of the report of `stowage arena`: the operators for which a program
// must provide kernels, and the account of an arena that is larger than a
// capacity.
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

// Returns a table of the operators with the call that registers the kernel of
// each.
std::string OperatorsTable(absl::Span<const MicroOperator> operators);

// Returns a list with the keys `name`, `custom`, `uses`, `upstream` and
// `register`, which is null where upstream has no kernel.
Json OperatorsJson(absl::Span<const MicroOperator> operators);

// An arena that a model could have.
struct ArenaChoice {
  std::string title;  // for the report as text
  std::string key;    // for the report as JSON
  size_t bytes = 0;
};

// An arena that is larger than the capacity.
struct ArenaOverflow {
  size_t capacity = 0;
  MicroArena arena;
  // The buffers that are live at peak_task, at which the head is largest. They
  // are sorted by size, largest first.
  std::vector<MicroBuffer> peak;
  TaskId peak_task = 0;
  std::vector<ArenaChoice> fitting;  // the choices that do fit
};

// Describes an arena that is larger than `capacity`. `buffers` are those in the
// head of the arena.
ArenaOverflow FindOverflow(const MicroArena& arena, size_t capacity,
                           std::vector<MicroBuffer> buffers,
                           absl::Span<const ArenaChoice> choices);

// Returns a line, without its end, that says what does not fit.
std::string OverflowText(const Model& model, const ArenaOverflow& overflow);

// Returns the same information as an object.
Json OverflowJson(const Model& model, const ArenaOverflow& overflow);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_ARENA_NEEDS_H_
