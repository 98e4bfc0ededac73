// SPDX-License-Identifier: Apache-2.0
// Answers questions about the arena while a model runs: which tensors own its
// bytes, and which of them are live.
#ifndef STOWAGE_SRC_HARNESS_ARENA_VIEW_H_
#define STOWAGE_SRC_HARNESS_ARENA_VIEW_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/observer.h"

namespace stowage::harness {

// Returns the bytes that the tensor has in the arena, which may be those of a
// tensor that it shares in place; none if it has none there.
absl::optional<ByteRange> RangeOf(const Execution& at, size_t tensor);

// Returns whether the bytes of one tensor may be those of the other: they share
// memory in place, or they are in one group and lie as the group prescribes.
bool MayShareBytes(const Execution& at, size_t a, size_t b);

// Returns whether the tensor has its content before the operator runs: it is an
// input of the graph, or an operator that has finished has computed it.
bool IsFilled(const Execution& at, size_t tensor);

// Returns how many tasks other than at.node have begun to write the memory of
// the tensor so far. Only for runs on several streams.
size_t CountOtherWrites(const Execution& at, size_t tensor);
// Returns whether one of these tasks is still running.
bool IsWrittenBeside(const Execution& at, size_t tensor);

// Return the bytes of live tensors: of all of them, or only of those that are
// filled or being filled by another operator.
std::vector<ByteRange> LiveBytes(const Execution& at);
std::vector<ByteRange> FilledBytes(const Execution& at);

// Returns `tensor 3 "conv1" (tasks [1, 4])`, with the tasks at which it may use
// its bytes.
std::string TensorText(const Execution& at, size_t tensor);

// Returns the text "tensor ..." for a live tensor that owns byte `byte` of the
// arena and does not share memory in place with `tensor`; empty if there is
// none.
std::string SharerText(const Execution& at, size_t tensor, size_t byte);

// Returns the owner of byte `byte` of the arena, preferring a live tensor:
// "tensor ...", "tensor ..., not live at task 3" or "no tensor".
std::string OwnerText(const Execution& at, size_t byte);

// Returns how the nearest tensor that the operator writes lies to that byte:
// 'tensor ..., which it writes, has that byte, too' or '... ends 4 bytes before
// it'. Empty if the operator writes none in the arena.
std::string NearestWriteText(const Execution& at, size_t byte);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_ARENA_VIEW_H_
