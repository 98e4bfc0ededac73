// SPDX-License-Identifier: Apache-2.0
// Small models for tests, written down as they are read.
#ifndef STOWAGE_TESTS_SUPPORT_MODEL_SPEC_H_
#define STOWAGE_TESTS_SUPPORT_MODEL_SPEC_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/tflite/model_generated.h"

namespace stowage {

// Indices are as the file has them: -1 for what is left out, or any wrong one.
struct TensorDraft {
  std::vector<int32_t> shape;
  tflite::TensorType type = tflite::TensorType::FLOAT32;
  uint32_t buffer = 0;
  std::string name = {};
  bool is_variable = false;
  uint32_t external_buffer = 0;
  std::vector<float> scales = {};
  std::vector<int64_t> zero_points = {};
  int32_t quantized_dimension = 0;
  std::vector<int32_t> shape_signature = {};  // written if not empty
  bool has_rank = false;
  std::shared_ptr<const tflite::SparsityParametersT> sparsity = {};
};

struct CodeSpec {
  tflite::BuiltinOperator code = tflite::BuiltinOperator::ADD;
  std::string custom_code;  // written if not empty
  int32_t version = 1;
};

struct OperatorDraft {
  uint32_t code = 0;  // index into the codes of the model
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<int32_t> intermediates = {};
  tflite::BuiltinOptionsUnion options = {};
  std::vector<uint8_t> custom_options = {};  // written if not empty
};

struct GraphSpec {
  std::vector<TensorDraft> tensors;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<OperatorDraft> operators;
};

struct BufferSpec {
  std::vector<uint8_t> data;
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct ModelSpec {
  uint32_t version = 3;
  std::vector<CodeSpec> codes;
  std::vector<BufferSpec> buffers;
  std::vector<GraphSpec> graphs;
  std::vector<tflite::SignatureDefT> signatures = {};
  std::vector<tflite::MetadataT> metadata = {};  // written if not empty
  std::string description = {};                  // written if not empty
};

// The bytes of the .tflite file.
std::string Build(const ModelSpec& spec);

// A model with one of each thing: dequantized weights, a tensor read twice.
//
//   weights (f16, constant) -> DEQUANTIZE -> scale (f32)
//   input -> ADD(scale) -> sum -> RELU -> relu -> MUL(sum) -> output
//
//   tensor     0 input  1 weights  2 scale  3 sum  4 relu  5 output
//   operator   0 DEQUANTIZE  1 ADD  2 RELU  3 MUL
ModelSpec ExampleModel();

}  // namespace stowage

#endif  // STOWAGE_TESTS_SUPPORT_MODEL_SPEC_H_
