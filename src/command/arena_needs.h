// SPDX-License-Identifier: Apache-2.0
// Produces two parts of the report of `stowage arena`: the list of operators
// for which a program must provide kernels, and the explanation of why an arena
// does not fit a capacity.
#ifndef STOWAGE_SRC_COMMAND_ARENA_NEEDS_H_
#define STOWAGE_SRC_COMMAND_ARENA_NEEDS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/json.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage::cli {

// Returns a table with a row for each operator. People read the call that
// registers the kernel of the operator. JSON has the keys `name`, `custom`,
// `uses`, `upstream` and `register`. If upstream has no kernel for the
// operator, `upstream` is false and `register` is null.
AnswerTable OperatorsTable(const std::vector<MicroOperator>& operators);

// An arena that a model could have.
struct ArenaChoice {
  std::string title;  // text shows this title
  std::string key;    // JSON shows this key
  size_t bytes = 0;
};

// An arena that is larger than the capacity.
struct ArenaOverflow {
  size_t capacity = 0;
  MicroArena arena;
  // The buffers that are live at `peak_task`, the task at which the head is
  // largest. Sorted by decreasing size.
  std::vector<MicroBuffer> peak;
  TaskId peak_task = 0;
  std::vector<ArenaChoice> fitting;  // these choices fit the capacity
};

// Explains why an arena does not fit. Requires that `arena` is larger than
// `capacity`, and that `buffers` are the buffers in the head of the arena.
ArenaOverflow FindOverflow(const MicroArena& arena, size_t capacity,
                           std::vector<MicroBuffer> buffers,
                           absl::Span<const ArenaChoice> choices);

// Returns one line of text, without a line end, that explains what does not
// fit.
std::string OverflowText(const Model& model, const ArenaOverflow& overflow);

// Returns the information of OverflowText as a JSON object.
Json OverflowJson(const Model& model, const ArenaOverflow& overflow);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_ARENA_NEEDS_H_
