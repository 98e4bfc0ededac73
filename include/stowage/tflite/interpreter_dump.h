// SPDX-License-Identifier: Apache-2.0
// Parses the output of tflite::PrintInterpreterState, to find the places that a
// TensorFlow Lite or LiteRT interpreter has given to its tensors. To read plans
// of this library, use io/problem_file.h.
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
  // The offset in the arena of the subgraph, or nullopt if the tensor is not in
  // this arena: a constant, a tensor of the persistent arena, a tensor with
  // separate memory, or a tensor without memory.
  absl::optional<size_t> offset;
};

// Returns whether the text is the dump of an interpreter, that is, whether it
// contains the heading of a table of tensors. O(text).
bool IsInterpreterDump(absl::string_view text);

// Returns all tensors, in the order of the text. The text may have other lines
// before and after its tables. Error messages refer to the text as `name`.
// Error: InvalidArgument, naming the line, if a line of a table cannot be
// parsed or a tensor has two lines. O(text).
absl::StatusOr<std::vector<DumpedTensor>> ParseInterpreterDump(
    absl::string_view text, absl::string_view name);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_INTERPRETER_DUMP_H_
