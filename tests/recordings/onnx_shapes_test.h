// SPDX-License-Identifier: Apache-2.0
// Defines tests of shapes. A case consists of one node, its inputs, and the
// types that its outputs must have. Each family of operators has a separate
// source file with a table of cases.
#ifndef STOWAGE_TESTS_RECORDINGS_ONNX_SHAPES_TEST_H_
#define STOWAGE_TESTS_RECORDINGS_ONNX_SHAPES_TEST_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/recordings/onnx_builder.h"

namespace stowage::onnx_shapes {

// An input of the node: a tensor of the graph, a constant, or a missing input.
struct Argument {
  enum class Kind { kTensor, kIntegers, kFloats, kAbsent };
  Kind kind = Kind::kAbsent;
  int64_t element = 1;
  std::vector<onnx_wire::Dim> dims;
  std::vector<int64_t> integers;
  std::vector<float> floats;
};

inline Argument Tensor(std::vector<onnx_wire::Dim> dims, int64_t element = 1) {
  return {Argument::Kind::kTensor, element, std::move(dims), {}, {}};
}
inline Argument Constant(std::vector<int64_t> integers) {
  return {Argument::Kind::kIntegers, 7, {}, std::move(integers), {}};
}
inline Argument FloatConstant(std::vector<float> floats) {
  return {Argument::Kind::kFloats, 1, {}, {}, std::move(floats)};
}
inline Argument Absent() { return {}; }

struct ShapeCase {
  const char* name;
  const char* op;
  int64_t opset;
  std::vector<Argument> inputs;
  std::string attributes;
  // The types of the outputs, such as "float 1x8x4x4".
  std::vector<std::string> outputs;
  const char* domain = "";
};

inline void PrintTo(const ShapeCase& each, std::ostream* out) {
  *out << each.name;
}

// Returns the types that the importer derives for the outputs of the node.
std::vector<std::string> TypesOfOutputs(const ShapeCase& each);

}  // namespace stowage::onnx_shapes

#endif  // STOWAGE_TESTS_RECORDINGS_ONNX_SHAPES_TEST_H_
