// SPDX-License-Identifier: Apache-2.0
// Finds the lifetimes of the values of a method of an ExecuTorch program.
#ifndef STOWAGE_SRC_RECORDINGS_EXECUTORCH_LIFETIMES_H_
#define STOWAGE_SRC_RECORDINGS_EXECUTORCH_LIFETIMES_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "recordings_schema/executorch_generated.h"
#include "stowage/base/statusor.h"
#include "stowage/usage_record.h"

namespace stowage::recordings {

// The lifetime of a value. Tasks are the instructions of all chains, one chain
// after another.
struct ExecutorchLife {
  bool is_used = false;  // by an instruction, or as an input or output
  bool is_input = false;
  bool is_output = false;
  TaskId first = 0;
  TaskId last = 0;
  std::vector<TaskId> tasks;  // the instructions that touch it, in rising order
};

struct ExecutorchLives {
  std::vector<ExecutorchLife> lives;   // has an entry for each value
  std::vector<std::string> operators;  // has the name of each instruction
  size_t delegate_calls = 0;
  // Pairs of a value and its alias, which is another value with the same bytes.
  std::vector<std::pair<size_t, size_t>> aliases;

  TaskId end() const { return operators.empty() ? 0 : operators.size() - 1; }
};

// Returns the lifetimes of all values of a method. An input is live from the
// first instruction on, and an output is live up to the last instruction. Every
// other value is live from the first to the last instruction that touches it.
// The first touch counts as a write, because the arguments of an instruction do
// not state which of them are written. A value that is live at the beginning of
// a loop is live until the loop ends, and a value is live as long as its views.
//
// Errors: InvalidArgument, with the place within the method, for an index of
// something that does not exist, an unknown instruction, or a method with too
// many arguments or loops.
StatusOr<ExecutorchLives> LivesOf(const executorch::ExecutionPlan& method);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_EXECUTORCH_LIFETIMES_H_
