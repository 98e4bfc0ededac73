// SPDX-License-Identifier: Apache-2.0
// Writes models for tests, fuzzers, the testing kit and data/networks. To read
// a model, use stowage/tflite/model.h. To change an arbitrary file, use the
// generated tflite::ModelT.
//
//   ModelSpec model;
//   model.codes = {{BuiltinOperator::ABS}};
//   model.buffers.emplace_back();  // for tensors without data
//   GraphSpec& graph = model.graphs.emplace_back();
//   graph.tensors = {{{1, 4}}, {{1, 4}}};
//   graph.inputs = {0};
//   graph.outputs = {1};
//   graph.operators = {{0, {0}, {1}}};
//   std::string file = Build(model);
//
// Nothing is checked, because tests also write invalid models.
#ifndef STOWAGE_SRC_TFLITE_MODEL_DRAFT_H_
#define STOWAGE_SRC_TFLITE_MODEL_DRAFT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model_schema/model_generated.h"

namespace stowage {

// Empty lists, strings and tables are omitted from the file. Indices are
// written unchanged, even if they are invalid. The index -1 represents an
// omitted tensor.
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
  std::vector<int32_t> shape_signature = {};
  bool has_rank = false;
  std::shared_ptr<const tflite::SparsityParametersT> sparsity = {};
};

struct CodeSpec {
  tflite::BuiltinOperator code = tflite::BuiltinOperator::ADD;
  std::string custom_code = {};
  int32_t version = 1;
};

struct OperatorDraft {
  uint32_t code = 0;  // an index into the codes of the model
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<int32_t> intermediates = {};
  tflite::BuiltinOptionsUnion options = {};
  std::vector<uint8_t> custom_options = {};
  tflite::BuiltinOptions2Union options_2 = {};
};

struct GraphSpec {
  std::vector<TensorDraft> tensors;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<OperatorDraft> operators;
  std::string name = {};
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
  std::vector<tflite::MetadataT> metadata = {};
  std::string description = {};
};

// Returns the bytes of the .tflite file.
std::string Build(const ModelSpec& spec);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_MODEL_DRAFT_H_
