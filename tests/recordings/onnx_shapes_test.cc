// SPDX-License-Identifier: Apache-2.0
#include "tests/recordings/onnx_shapes_test.h"

#include <cstddef>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowage/recordings/recording.h"
#include "tests/recordings/onnx_builder.h"

namespace stowage::onnx_shapes {

namespace wire = onnx_wire;

std::vector<std::string> TypesOfOutputs(const ShapeCase& each) {
  std::string graph;
  std::vector<std::string> inputs;
  for (size_t i = 0; i < each.inputs.size(); ++i) {
    const Argument& input = each.inputs[i];
    const std::string name = "x" + std::to_string(i);
    const auto integers = static_cast<int64_t>(input.integers.size());
    const auto floats = static_cast<int64_t>(input.floats.size());
    switch (input.kind) {
      case Argument::Kind::kTensor:
        graph += wire::Input(name, input.element, input.dims);
        break;
      case Argument::Kind::kIntegers:
        graph +=
            wire::Initializer(wire::Integers(name, {integers}, input.integers));
        break;
      case Argument::Kind::kFloats:
        graph += wire::Initializer(wire::Floats(name, {floats}, input.floats));
        break;
      case Argument::Kind::kAbsent:
        break;
    }
    inputs.push_back(input.kind == Argument::Kind::kAbsent ? "" : name);
  }
  std::vector<std::string> outputs;
  for (size_t i = 0; i < each.outputs.size(); ++i) {
    outputs.push_back("y" + std::to_string(i));
  }
  graph += wire::Node(each.op, inputs, outputs, each.attributes, each.domain);
  const auto recording =
      ParseRecording(wire::Model(graph, each.opset), "case.onnx");
  if (!recording.ok()) return {recording.status().ToString()};
  std::vector<std::string> types;
  for (const TensorInfo& info :
       recording->parts[0].file.problem.labels.tensors) {
    types.push_back(info.type + " " + info.shape);
  }
  return types;
}

}  // namespace stowage::onnx_shapes
