// SPDX-License-Identifier: Apache-2.0
#include "tests/support/model_spec.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "src/tflite/model_generated.h"

namespace stowage {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using tflite::BuiltinOperator;
using tflite::TensorType;

// What `write` makes of each entry, as a vector of tables.
template <typename Spec, typename Write>
auto WriteAll(const std::vector<Spec>& specs, FlatBufferBuilder* builder,
              Write write) {
  std::vector<decltype(write(specs[0], builder))> tables;
  tables.reserve(specs.size());
  for (const Spec& spec : specs) tables.push_back(write(spec, builder));
  return builder->CreateVector(tables);
}

Offset<tflite::QuantizationParameters> WriteQuantization(
    const TensorDraft& spec, FlatBufferBuilder* builder) {
  if (spec.scales.empty() && spec.zero_points.empty()) return 0;
  const auto scales = builder->CreateVector(spec.scales);
  const auto zero_points = builder->CreateVector(spec.zero_points);
  return tflite::CreateQuantizationParameters(*builder, scales, zero_points,
                                              spec.quantized_dimension);
}

Offset<tflite::Tensor> WriteTensor(const TensorDraft& spec,
                                   FlatBufferBuilder* builder) {
  const auto shape = builder->CreateVector(spec.shape);
  const auto signature = spec.shape_signature.empty()
                             ? 0
                             : builder->CreateVector(spec.shape_signature);
  const auto name = spec.name.empty() ? 0 : builder->CreateString(spec.name);
  const auto quantization = WriteQuantization(spec, builder);
  const auto sparsity =
      spec.sparsity == nullptr
          ? 0
          : tflite::CreateSparsityParameters(*builder, spec.sparsity.get());
  tflite::TensorBuilder tensor(*builder);
  tensor.add_shape(shape);
  tensor.add_type(spec.type);
  tensor.add_buffer(spec.buffer);
  if (!name.IsNull()) tensor.add_name(name);
  if (!quantization.IsNull()) tensor.add_quantization(quantization);
  tensor.add_is_variable(spec.is_variable);
  if (!signature.IsNull()) tensor.add_shape_signature(signature);
  tensor.add_external_buffer(spec.external_buffer);
  tensor.add_has_rank(spec.has_rank);
  if (!sparsity.IsNull()) tensor.add_sparsity(sparsity);
  return tensor.Finish();
}

// As files have it: the byte holds numbers up to 127, and 127 for the rest.
Offset<tflite::OperatorCode> WriteCode(const CodeSpec& spec,
                                       FlatBufferBuilder* builder) {
  const auto custom_code =
      spec.custom_code.empty() ? 0 : builder->CreateString(spec.custom_code);
  return tflite::CreateOperatorCode(
      *builder, static_cast<int8_t>(std::min(static_cast<int>(spec.code), 127)),
      custom_code, spec.version, spec.code);
}

Offset<tflite::Operator> WriteOperator(const OperatorDraft& spec,
                                       FlatBufferBuilder* builder) {
  const auto inputs = builder->CreateVector(spec.inputs);
  const auto outputs = builder->CreateVector(spec.outputs);
  const auto intermediates = builder->CreateVector(spec.intermediates);
  const auto options = spec.options.Pack(*builder);
  const auto custom_options = spec.custom_options.empty()
                                  ? 0
                                  : builder->CreateVector(spec.custom_options);
  return tflite::CreateOperator(*builder, spec.code, inputs, outputs,
                                spec.options.type, options, custom_options,
                                intermediates);
}

Offset<tflite::SubGraph> WriteGraph(const GraphSpec& spec,
                                    FlatBufferBuilder* builder) {
  const auto tensors = WriteAll(spec.tensors, builder, WriteTensor);
  const auto inputs = builder->CreateVector(spec.inputs);
  const auto outputs = builder->CreateVector(spec.outputs);
  const auto operators = WriteAll(spec.operators, builder, WriteOperator);
  return tflite::CreateSubGraph(*builder, tensors, inputs, outputs, operators);
}

Offset<tflite::Buffer> WriteBuffer(const BufferSpec& spec,
                                   FlatBufferBuilder* builder) {
  const auto data = spec.data.empty() ? 0 : builder->CreateVector(spec.data);
  return tflite::CreateBuffer(*builder, data, spec.offset, spec.size);
}

}  // namespace

std::string Build(const ModelSpec& spec) {
  FlatBufferBuilder builder;
  const auto codes = WriteAll(spec.codes, &builder, WriteCode);
  const auto graphs = WriteAll(spec.graphs, &builder, WriteGraph);
  const auto buffers = WriteAll(spec.buffers, &builder, WriteBuffer);
  const auto signatures = WriteAll(
      spec.signatures, &builder,
      [](const tflite::SignatureDefT& signature, FlatBufferBuilder* to) {
        return tflite::CreateSignatureDef(*to, &signature);
      });
  const auto metadata =
      spec.metadata.empty()
          ? 0
          : WriteAll(spec.metadata, &builder,
                     [](const tflite::MetadataT& entry, FlatBufferBuilder* to) {
                       return tflite::CreateMetadata(*to, &entry);
                     });
  const auto description =
      spec.description.empty() ? 0 : builder.CreateString(spec.description);
  tflite::FinishModelBuffer(
      builder,
      tflite::CreateModel(builder, spec.version, codes, graphs, description,
                          buffers, 0, metadata, signatures));
  return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()),
                     builder.GetSize());
}

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
