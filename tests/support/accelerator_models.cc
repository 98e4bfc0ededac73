// SPDX-License-Identifier: Apache-2.0
#include "tests/support/accelerator_models.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "src/tflite/model_draft.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage::support {
namespace {

// Indices of the operator codes.
constexpr uint32_t kNpu = 0;
constexpr uint32_t kRelu = 1;

// Tensor 0 of each model is constant and contains the commands of the
// accelerator. Tensor 1 is the working memory of the accelerator, which is the
// bytes [0, 1024) of the arena.
constexpr int32_t kCommands = 0;
constexpr int32_t kScratch = 1;

struct Operator {
  uint32_t code;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
};

struct Draft {
  std::string name;
  std::vector<int32_t> offsets;  // from tensor 2 on; each has 256 bytes
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<Operator> operators;
  std::vector<size_t> operands;
  std::string verdict = "sound";
  std::vector<size_t> variables = {};
};

void AddPlan(absl::Span<const int32_t> offsets, ModelSpec* spec) {
  tflite::MetadataT& metadata = spec->metadata.emplace_back();
  metadata.name = std::string(kOfflinePlanName);
  metadata.buffer = static_cast<uint32_t>(spec->buffers.size());
  std::vector<int32_t> words = {0, 1, static_cast<int32_t>(offsets.size())};
  words.insert(words.end(), offsets.begin(), offsets.end());
  std::vector<uint8_t>& data = spec->buffers.emplace_back().data;
  for (const int32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) {
      data.push_back(
          static_cast<uint8_t>(static_cast<uint32_t>(word) >> shift));
    }
  }
}

AcceleratorModel Make(const Draft& draft) {
  AcceleratorModel model;
  model.name = draft.name;
  model.operands = draft.operands;
  model.verdict = draft.verdict;
  model.offsets = {kPlacedOnDevice, 0};
  ModelSpec& spec = model.spec;
  spec.codes = {{tflite::BuiltinOperator::CUSTOM, "ethos-u"},
                {tflite::BuiltinOperator::RELU}};
  spec.buffers.resize(2);
  spec.buffers[1].data.assign(16, 1);
  GraphSpec& graph = spec.graphs.emplace_back();
  graph.tensors = {{{16}, tflite::TensorType::UINT8, 1, "commands"},
                   {{1024}, tflite::TensorType::UINT8, 0, "scratch"}};
  for (const int32_t offset : draft.offsets) {
    model.offsets.push_back(offset);
    graph.tensors.push_back({{1, 64}, tflite::TensorType::FLOAT32, 0});
    graph.tensors.back().name =
        std::string(1, static_cast<char>('a' + graph.tensors.size() - 3));
  }
  for (const size_t t : draft.variables) graph.tensors[t].is_variable = true;
  graph.inputs = draft.inputs;
  graph.outputs = draft.outputs;
  for (const Operator& op : draft.operators) {
    OperatorDraft& written = graph.operators.emplace_back();
    written.code = op.code;
    written.inputs = op.inputs;
    if (op.code == kNpu) {
      written.inputs.insert(written.inputs.begin(), {kCommands, kScratch});
    }
    written.outputs = op.outputs;
  }
  AddPlan(model.offsets, &spec);
  return model;
}

}  // namespace

std::vector<AcceleratorModel> AcceleratorModels() {
  const Draft drafts[] = {
      {"alone", {0, 256}, {2}, {3}, {{kNpu, {2}, {3}}}, {1, 2, 3}},
      {"its output on its input",
       {0, 0},
       {2},
       {3},
       {{kNpu, {2}, {3}}},
       {1, 2, 3}},
      {"before another",
       {0, 256, 512},
       {2},
       {4},
       {{kNpu, {2}, {3}}, {kRelu, {3}, {4}}},
       {1, 2, 3}},
      {"after another",
       {0, 256, 512},
       {2},
       {4},
       {{kRelu, {2}, {3}}, {kNpu, {3}, {4}}},
       {1, 3, 4}},
      {"between others",
       {768, 256, 512, 0},
       {2},
       {5},
       {{kRelu, {2}, {3}}, {kNpu, {3}, {4}}, {kRelu, {4}, {5}}},
       {1, 3, 4}},
      {"two, with another between",
       {0, 256, 512, 768},
       {2},
       {5},
       {{kNpu, {2}, {3}}, {kRelu, {3}, {4}}, {kNpu, {4}, {5}}},
       {1, 2, 3, 4, 5}},
      {"three, and an output of the first is live over the second",
       {0, 256, 512, 768, 0, 256},
       {2},
       {7},
       {{kNpu, {2}, {3, 4}},
        {kRelu, {3}, {5}},
        {kNpu, {5}, {6}},
        {kNpu, {6, 4}, {7}}},
       {1, 2, 3, 4, 5, 6, 7},
       "undecided"},
      {"a graph output is live over the second",
       {0, 256, 512, 768},
       {2},
       {3, 5},
       {{kNpu, {2}, {3, 4}}, {kNpu, {4}, {5}}},
       {1, 2, 3, 4, 5},
       "undecided"},
      {"with a variable in the tail",
       {0, 256, kPlacedOnDevice},
       {2},
       {3},
       {{kNpu, {2, 4}, {3}}},
       {1, 2, 3},
       "sound",
       {4}},
      {"with a variable in its memory",
       {0, 256, 512},
       {2},
       {3},
       {{kNpu, {2, 4}, {3}}},
       {1, 2, 3, 4},
       "undecided",
       {4}},
  };
  std::vector<AcceleratorModel> models;
  for (const Draft& draft : drafts) models.push_back(Make(draft));
  return models;
}

}  // namespace stowage::support
