// SPDX-License-Identifier: Apache-2.0
// Answers questions about the arena while a model runs: which tensors own its
// bytes, and which of them are live.
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

// Returns the range of bytes that the tensor has in the arena. If the tensor
// shares memory in place with another tensor, both have the same range. Returns
// none if the tensor is not in the arena.
absl::optional<ByteRange> RangeOf(const Execution& at, size_t tensor);

// Returns whether the plan allows the two tensors to share bytes: either they
// share memory in place, or they are in one group and lie at the places that
// the group prescribes.
bool MayShareBytes(const Execution& at, size_t a, size_t b);

// Returns whether the tensor has its content before the operator runs. This
// holds for inputs of the graph, and for tensors whose operator has finished.
bool IsFilled(const Execution& at, size_t tensor);

// Returns how many tasks other than at.node have begun to write the memory of
// the tensor so far. May be called only for a run on several streams.
size_t CountOtherWrites(const Execution& at, size_t tensor);
// Returns whether a task other than at.node is writing the memory of the tensor
// now.
bool IsWrittenBeside(const Execution& at, size_t tensor);

// Returns whether the operator calls functions of the planned program. The
// checks examine the operators in the called functions, but not the call
// itself.
bool IsProgramCall(const Execution& at);
// Returns the bytes that a slot of the program has in the arena. Returns none
// if the slot has no place in the arena.
absl::optional<ByteRange> RangeOfSlot(const ProgramPlan& program, SlotId slot);
// Returns the memory of a slot of the program, which lies in the arena or in
// the memory of a variable. Returns an empty span if the slot is live at no
// point or has no place.
absl::Span<uint8_t> MemoryOfSlot(const Execution& at, SlotId slot);
// Returns a text that names a slot of the program.
std::string SlotText(const ProgramPlan& program, SlotId slot);
// Returns a text that names a variable of the program.
std::string VariableText(const ProgramPlan& program, size_t variable);

// LiveBytes returns the bytes of all live tensors. FilledBytes returns only the
// bytes of those live tensors that have content or that another operator is
// filling now. In a program, both functions cover the tensors of all active
// subgraphs.
std::vector<ByteRange> LiveBytes(const Execution& at);
std::vector<ByteRange> FilledBytes(const Execution& at);

// Returns the text `tensor 3 "conv1" (tasks [1, 4])`. The tasks are those at
// which the tensor may use its bytes.
std::string TensorText(const Execution& at, size_t tensor);

// Returns the text "tensor ..." for a live tensor that owns byte `byte` of the
// arena and does not share memory in place with `tensor`. Returns an empty text
// if there is no such tensor.
std::string SharerText(const Execution& at, size_t tensor, size_t byte);

// Returns a text for the owner of byte `byte` of the arena: "tensor ..." for a
// live tensor if there is one, else "tensor ..., not live at task 3", or "no
// tensor".
std::string OwnerText(const Execution& at, size_t byte);

// Compares the position of byte `byte` with the tensors that the operator
// writes, and describes the nearest of them: 'tensor ..., which it writes, has
// that byte, too' or '... ends 4 bytes before it'. Returns an empty text if the
// operator writes no tensor in the arena.
std::string NearestWriteText(const Execution& at, size_t byte);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_ARENA_VIEW_H_
