// SPDX-License-Identifier: Apache-2.0
#include "src/tflite/model_draft.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "model_schema/model_generated.h"

namespace stowage {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::String;
using flatbuffers::Vector;

template <typename T>
Offset<Vector<T>> WriteList(const std::vector<T>& list,
                            FlatBufferBuilder* builder) {
  return list.empty() ? 0 : builder->CreateVector(list);
}

Offset<String> WriteText(const std::string& text, FlatBufferBuilder* builder) {
  return text.empty() ? 0 : builder->CreateString(text);
}

// Writes a vector of tables. `write` creates one table from each entry of
// `specs`.
template <typename Spec, typename Write>
auto WriteAll(const std::vector<Spec>& specs, FlatBufferBuilder* builder,
              Write write) {
  std::vector<decltype(write(specs[0], builder))> tables;
  tables.reserve(specs.size());
  for (const Spec& spec : specs) tables.push_back(write(spec, builder));
  return WriteList(tables, builder);
}

Offset<tflite::QuantizationParameters> WriteQuantization(
    const TensorDraft& spec, FlatBufferBuilder* builder) {
  if (spec.scales.empty() && spec.zero_points.empty()) return 0;
  const auto scales = WriteList(spec.scales, builder);
  const auto zero_points = WriteList(spec.zero_points, builder);
  return tflite::CreateQuantizationParameters(*builder, scales, zero_points,
                                              spec.quantized_dimension);
}

Offset<tflite::Tensor> WriteTensor(const TensorDraft& spec,
                                   FlatBufferBuilder* builder) {
  const auto shape = WriteList(spec.shape, builder);
  const auto name = WriteText(spec.name, builder);
  const auto quantization = WriteQuantization(spec, builder);
  const auto sparsity =
      spec.sparsity == nullptr
          ? 0
          : tflite::CreateSparsityParameters(*builder, spec.sparsity.get());
  const auto signature = WriteList(spec.shape_signature, builder);
  return tflite::CreateTensor(*builder, shape, spec.type, spec.buffer, name,
                              quantization, spec.is_variable, sparsity,
                              signature, spec.has_rank, spec.external_buffer);
}

// Writes an operator code to both fields that files have for it. The older
// field is a byte with a maximum of 127, so larger codes are written to that
// field as 127.
Offset<tflite::OperatorCode> WriteCode(const CodeSpec& spec,
                                       FlatBufferBuilder* builder) {
  const auto custom_code = WriteText(spec.custom_code, builder);
  return tflite::CreateOperatorCode(
      *builder, static_cast<int8_t>(std::min(static_cast<int>(spec.code), 127)),
      custom_code, spec.version, spec.code);
}

Offset<tflite::Operator> WriteOperator(const OperatorDraft& spec,
                                       FlatBufferBuilder* builder) {
  const auto inputs = WriteList(spec.inputs, builder);
  const auto outputs = WriteList(spec.outputs, builder);
  const auto options = spec.options.Pack(*builder);
  const auto custom_options = WriteList(spec.custom_options, builder);
  const auto intermediates = WriteList(spec.intermediates, builder);
  const auto options_2 = spec.options_2.Pack(*builder);
  return tflite::CreateOperator(*builder, spec.code, inputs, outputs,
                                spec.options.type, options, custom_options,
                                intermediates, spec.options_2.type, options_2);
}

Offset<tflite::SubGraph> WriteGraph(const GraphSpec& spec,
                                    FlatBufferBuilder* builder) {
  const auto tensors = WriteAll(spec.tensors, builder, WriteTensor);
  const auto inputs = WriteList(spec.inputs, builder);
  const auto outputs = WriteList(spec.outputs, builder);
  const auto operators = WriteAll(spec.operators, builder, WriteOperator);
  const auto name = WriteText(spec.name, builder);
  return tflite::CreateSubGraph(*builder, tensors, inputs, outputs, operators,
                                name);
}

Offset<tflite::Buffer> WriteBuffer(const BufferSpec& spec,
                                   FlatBufferBuilder* builder) {
  // The file format requires this alignment for the data of buffers.
  builder->ForceVectorAlignment(spec.data.size(), sizeof(uint8_t), 16);
  const auto data = WriteList(spec.data, builder);
  return tflite::CreateBuffer(*builder, data, spec.offset, spec.size);
}

}  // namespace

std::string Build(const ModelSpec& spec) {
  FlatBufferBuilder builder;
  const auto codes = WriteAll(spec.codes, &builder, WriteCode);
  const auto graphs = WriteAll(spec.graphs, &builder, WriteGraph);
  const auto description = WriteText(spec.description, &builder);
  const auto buffers = WriteAll(spec.buffers, &builder, WriteBuffer);
  const auto metadata =
      WriteAll(spec.metadata, &builder,
               [](const tflite::MetadataT& entry, FlatBufferBuilder* to) {
                 return tflite::CreateMetadata(*to, &entry);
               });
  const auto signatures = WriteAll(
      spec.signatures, &builder,
      [](const tflite::SignatureDefT& signature, FlatBufferBuilder* to) {
        return tflite::CreateSignatureDef(*to, &signature);
      });
  tflite::FinishModelBuffer(
      builder,
      tflite::CreateModel(builder, spec.version, codes, graphs, description,
                          buffers, 0, metadata, signatures));
  return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()),
                     builder.GetSize());
}

}  // namespace stowage
