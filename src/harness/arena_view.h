// SPDX-License-Identifier: Apache-2.0
// Answers questions about the arena while a model runs: which tensors own its
// bytes, and which of these tensors are live.
#ifndef STOWAGE_SRC_HARNESS_ARENA_VIEW_H_
#define STOWAGE_SRC_HARNESS_ARENA_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/program_plan.h"
#include "stowage/programs/points.h"

namespace stowage::harness {

// Returns the bytes of the tensor in the arena, or nullopt if the tensor is not
// in the arena. Tensors that share memory in place have the same range.
absl::optional<ByteRange> RangeOf(const Execution& at, size_t tensor);

// Returns whether the plan allows the two tensors to share bytes: they share
// memory in place, or they are in one group and have the places that the group
// prescribes.
bool MayShareBytes(const Execution& at, size_t a, size_t b);

// Returns whether the tensor already has its contents before the operator runs.
// This is true for inputs of the graph, and for outputs of operators that have
// finished.
bool IsFilled(const Execution& at, size_t tensor);

// Returns how many tasks other than `at.node` have begun to write the memory of
// the tensor. Requires a run on several streams.
size_t CountOtherWrites(const Execution& at, size_t tensor);
// Returns whether a task other than `at.node` is writing the memory of the
// tensor now.
bool IsWrittenBeside(const Execution& at, size_t tensor);

// Returns whether the operator calls functions of the planned program. The
// checks examine the operators in the called functions instead of the call
// itself.
bool IsProgramCall(const Execution& at);
// Returns the bytes of a slot of the program in the arena, or nullopt if the
// slot is not in the arena.
absl::optional<ByteRange> RangeOfSlot(const ProgramPlan& program, SlotId slot);
// Returns the memory of a slot of the program, which is in the arena or in the
// memory of a variable. Returns an empty span if the slot is never live or has
// no place.
absl::Span<uint8_t> MemoryOfSlot(const Execution& at, SlotId slot);
// Returns a text that names a slot of the program.
std::string SlotText(const ProgramPlan& program, SlotId slot);
// Returns a text that names a variable of the program.
std::string VariableText(const ProgramPlan& program, size_t variable);

// LiveBytes returns the bytes of all live tensors. FilledBytes returns only the
// bytes of live tensors that have contents or that another operator is filling
// now. In a program, both include the tensors of all active subgraphs.
std::vector<ByteRange> LiveBytes(const Execution& at);
std::vector<ByteRange> FilledBytes(const Execution& at);

// Returns the text `tensor 3 "conv1" (tasks [1, 4])`, where the tasks are those
// at which the tensor may use its bytes.
std::string TensorText(const Execution& at, size_t tensor);

// Returns the text "tensor ..." for a live tensor that owns byte `byte` of the
// arena and does not share memory in place with `tensor`. Returns an empty
// string if there is no such tensor.
std::string SharerText(const Execution& at, size_t tensor, size_t byte);

// Returns a text about the owner of byte `byte` of the arena: "tensor ..." if a
// live tensor owns it, otherwise "tensor ..., not live at task 3" or "no
// tensor".
std::string OwnerText(const Execution& at, size_t byte);

// Returns a text that describes byte `byte` relative to the nearest tensor that
// the operator writes: 'tensor ..., which it writes, has that byte, too' or
// '... ends 4 bytes before it'. Returns an empty string if the operator writes
// no tensor in the arena.
std::string NearestWriteText(const Execution& at, size_t byte);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_ARENA_VIEW_H_
