// SPDX-License-Identifier: Apache-2.0
// The arena while a model runs: the owners of its bytes.
#ifndef STOWAGE_SRC_HARNESS_ARENA_VIEW_H_
#define STOWAGE_SRC_HARNESS_ARENA_VIEW_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/observer.h"

namespace stowage::harness {

// Returns the bytes of the arena that belong to the tensor, or to the one that
// it shares with; none if it has none there.
absl::optional<ByteRange> RangeOf(const Execution& at, size_t tensor);

// Returns whether the bytes of one tensor may be those of the other: they share
// memory in place, or they are in one group and lie as the group prescribes.
bool MayShareBytes(const Execution& at, size_t a, size_t b);

// Returns whether the tensor has its content before the operator runs: it is an
// input of the graph, or an operator that has finished has computed it.
bool IsFilled(const Execution& at, size_t tensor);

// Returns how many tasks other than this have begun to write the memory of the
// tensor so far. On several streams only.
size_t CountOtherWrites(const Execution& at, size_t tensor);
// Returns whether one of them is still running.
bool IsWrittenBeside(const Execution& at, size_t tensor);

// Return the bytes of live tensors: of all of them, or only of those that are
// filled or being filled by another operator.
std::vector<ByteRange> LiveBytes(const Execution& at);
std::vector<ByteRange> FilledBytes(const Execution& at);

// Returns `tensor 3 "conv1" (tasks [1, 4])`, with the tasks at which it may use
// its bytes.
std::string TensorText(const Execution& at, size_t tensor);

// Returns "tensor ...", a live one that owns byte `byte` of the arena and does
// not share memory with `tensor`; empty if there is none.
std::string SharerText(const Execution& at, size_t tensor, size_t byte);

// Returns the owner of byte `byte` of the arena, preferring a live tensor:
// "tensor ...", "tensor ..., not live at task 3" or "no tensor".
std::string OwnerText(const Execution& at, size_t byte);

// Returns the relation of the tensors that the operator writes to that byte:
// `tensor 5 "y", which it writes, has it too` or `... ends 4 bytes before it`.
// Empty if it writes none in the arena.
std::string NearestWriteText(const Execution& at, size_t byte);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_ARENA_VIEW_H_
