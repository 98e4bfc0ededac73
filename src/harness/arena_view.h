// SPDX-License-Identifier: Apache-2.0
// The arena while a model runs: which bytes belong to which tensors.
#ifndef STOWAGE_SRC_HARNESS_ARENA_VIEW_H_
#define STOWAGE_SRC_HARNESS_ARENA_VIEW_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/observer.h"

namespace stowage::harness {

// The bytes of the arena that the tensor has, or the one it shares with; none
// if it has none there.
absl::optional<ByteRange> RangeOf(const Execution& at, size_t tensor);

// Whether the bytes of one tensor may be those of the other: they share memory
// in place, or are in one group and lie there as it has them.
bool MayShareBytes(const Execution& at, size_t a, size_t b);

// Whether the tensor has its content before the operator runs: it is an input
// of the graph, or an operator that has finished has computed it.
bool IsFilled(const Execution& at, size_t tensor);

// How many tasks other than this have begun to write the memory of the tensor,
// so far; on several streams only.
size_t CountOtherWrites(const Execution& at, size_t tensor);
// Whether one of them is still running.
bool IsWrittenBeside(const Execution& at, size_t tensor);

// The bytes that live tensors have: of all, or only of those that are filled or
// being filled by another operator.
std::vector<ByteRange> LiveBytes(const Execution& at);
std::vector<ByteRange> FilledBytes(const Execution& at);

// `tensor 3 "conv1" (tasks [1, 4])`: the tasks at which it may use its bytes.
std::string TensorText(const Execution& at, size_t tensor);

// "tensor ...": a live one that has byte `byte` of the arena and memory of its
// own beside that of `tensor`; empty if there is none.
std::string SharerText(const Execution& at, size_t tensor, size_t byte);

// The tensor that byte `byte` of the arena belongs to, of several one that is
// live: "tensor ...", "tensor ..., not live at task 3", "no tensor".
std::string OwnerText(const Execution& at, size_t byte);

// What the tensors that the operator writes have to do with that byte: `tensor
// 5 "y", which it writes, has it too` or `... ends 4 bytes before it`. Empty if
// it writes none in the arena.
std::string NearestWriteText(const Execution& at, size_t byte);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_ARENA_VIEW_H_
