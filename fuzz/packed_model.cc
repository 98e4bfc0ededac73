// SPDX-License-Identifier: Apache-2.0
#include "fuzz/packed_model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "flatbuffers/flatbuffers.h"
#include "model_schema/model_generated.h"
#include "stowage/tflite/model_file.h"

namespace stowage {

using tflite::ModelT;

namespace {

// Returns whether all lists of 64-bit numbers are aligned, so that they can be
// read. The verifier of flatbuffers does not check this.
bool HasAlignedLists(const tflite::Model& model) {
  if (model.subgraphs() == nullptr) return true;
  for (const tflite::SubGraph* graph : *model.subgraphs()) {
    if (graph->tensors() == nullptr) continue;
    for (const tflite::Tensor* tensor : *graph->tensors()) {
      const auto* quantization = tensor->quantization();
      if (quantization == nullptr || quantization->zero_point() == nullptr) {
        continue;
      }
      const auto address =
          reinterpret_cast<uintptr_t>(quantization->zero_point()->Data());
      if (address % sizeof(int64_t) != 0) return false;
    }
  }
  return true;
}

}  // namespace

std::unique_ptr<ModelT> Unpack(absl::Span<const uint8_t> bytes) {
  const absl::string_view text(reinterpret_cast<const char*>(bytes.data()),
                               bytes.size());
  const auto file = ModelFile::Open(text, "fuzz.tflite");
  if (!file.ok() || !HasAlignedLists(file->model())) return nullptr;
  std::unique_ptr<ModelT> model(file->model().UnPack());
  // A file may give the type of an operator's options without the options
  // themselves. Pack does not accept this.
  for (const auto& graph : model->subgraphs) {
    for (const auto& op : graph->operators) {
      if (op->builtin_options.value == nullptr) op->builtin_options.Reset();
      if (op->builtin_options_2.value == nullptr) op->builtin_options_2.Reset();
    }
  }
  return model;
}

std::vector<uint8_t> Pack(const ModelT& model) {
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(true);
  tflite::FinishModelBuffer(builder, tflite::CreateModel(builder, &model));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace stowage
