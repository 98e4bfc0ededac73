// SPDX-License-Identifier: Apache-2.0
// Compares the shapes that a model declares with the shapes that its operators
// compute. A runtime that resizes tensors, such as an Interpreter
// (interpreter.h), uses the computed shapes. TensorFlow Lite Micro plans the
// declared shapes, so a kernel that computes more bytes than declared writes
// beyond the end of its output.
//
//   absl::Status status = CheckDeclaredShapes(model.bytes(), model.name());
//   for (const ShapeDifference& found :
//        CompareDeclaredShapes(bytes, "m.tflite")) {
//     std::cerr << found.message << "\n";
//   }
//
// The operators are prepared by the kernels of this library in execution order,
// each with the shapes that earlier operators have computed; nothing runs. The
// outputs of an operator keep their declared shapes if the operator has no
// kernel, if its kernel refuses the model, or if the shapes depend on data.
#ifndef STOWAGE_HARNESS_DECLARED_SHAPES_H_
#define STOWAGE_HARNESS_DECLARED_SHAPES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stowage::harness {

// An output for which the operator computes a different number of bytes than
// the model declares.
struct ShapeDifference {
  size_t subgraph = 0;
  size_t op = 0;      // the index of the operator in the subgraph
  size_t tensor = 0;  // the index of the tensor in the subgraph
  size_t declared_bytes = 0;
  size_t computed_bytes = 0;
  bool is_open = false;  // says whether the model leaves an extent open
  // A message such as `net.tflite: subgraph 0, operator 1 (RELU): computes
  // [64], 256 bytes, for tensor 2 "y"; the model declares [4], 16 bytes`.
  std::string message;
};

// Returns the differences of all subgraphs, in the order of operators. `bytes`
// is the content of a model file, and `name` is the name of the file in
// messages. Returns an empty list if the model cannot be read with its
// constants (see tflite/model_structure.h). O(bytes + operators).
std::vector<ShapeDifference> CompareDeclaredShapes(absl::string_view bytes,
                                                   absl::string_view name);

// Checks that no kernel would write more bytes than the model declares for its
// output. Error: InvalidArgument for the first such kernel, naming the operator
// and the tensor. O(bytes + operators).
absl::Status CheckDeclaredShapes(absl::string_view bytes,
                                 absl::string_view name);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_DECLARED_SHAPES_H_
