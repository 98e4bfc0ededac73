// SPDX-License-Identifier: Apache-2.0
// Parses the text that tflite::PrintInterpreterState prints, and returns where
// a TensorFlow Lite or LiteRT interpreter has placed its tensors. For the plans
// of this library, see io/problem_file.h.
//
//   Tensor   2 c  kTfLiteInt32  kTfLiteArenaRw  64  / 0.00 [1,16] [128, 192)
#ifndef STOWAGE_TFLITE_INTERPRETER_DUMP_H_
#define STOWAGE_TFLITE_INTERPRETER_DUMP_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace stowage {

struct DumpedTensor {
  size_t subgraph = 0;
  size_t tensor = 0;  // its index in the subgraph
  size_t bytes = 0;
  // The offset in the arena of the subgraph. It has no value for a tensor that
  // is not in this arena: a constant, a tensor of the persistent arena, a
  // tensor with separate memory, or a tensor without memory.
  absl::optional<size_t> offset;
};

// Returns whether the text is the dump of an interpreter, which is the case if
// it contains the heading of a table of tensors. O(text).
bool IsInterpreterDump(absl::string_view text);

// Returns all tensors, in the order of the text. The text may have other lines
// before and after its tables. `name` stands for the text in messages. Error:
// InvalidArgument, naming the line, if a line of a table cannot be read, or a
// tensor has two lines. O(text).
absl::StatusOr<std::vector<DumpedTensor>> ParseInterpreterDump(
    absl::string_view text, absl::string_view name);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_INTERPRETER_DUMP_H_
