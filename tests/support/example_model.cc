// SPDX-License-Identifier: Apache-2.0
#include "tests/support/example_model.h"

#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"

namespace stowage {

using tflite::BuiltinOperator;
using tflite::TensorType;

ModelSpec ExampleModel() {
  ModelSpec model;
  model.codes = {{BuiltinOperator::DEQUANTIZE, ""},
                 {BuiltinOperator::ADD, ""},
                 {BuiltinOperator::RELU, ""},
                 {BuiltinOperator::MUL, ""}};
  model.buffers = {{}, {{1, 2, 3, 4, 5, 6, 7, 8}}};
  GraphSpec& graph = model.graphs.emplace_back();
  graph.tensors = {{{1, 4}, TensorType::FLOAT32, 0, "input"},
                   {{4}, TensorType::FLOAT16, 1, "weights"},
                   {{4}, TensorType::FLOAT32, 0, "scale"},
                   {{1, 4}, TensorType::FLOAT32, 0, "sum"},
                   {{1, 4}, TensorType::FLOAT32, 0, "relu"},
                   {{1, 4}, TensorType::FLOAT32, 0, "output"}};
  graph.inputs = {0};
  graph.outputs = {5};
  graph.operators = {
      {0, {1}, {2}}, {1, {0, 2}, {3}}, {2, {3}, {4}}, {3, {3, 4}, {5}}};
  return model;
}

}  // namespace stowage
