// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/models.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "model_schema/model_generated.h"
#include "src/kit/random_samples.h"
#include "src/tflite/model_draft.h"
#include "stowage/base/random.h"
#include "stowage/testing/families.h"

namespace stowage::testing {
namespace {

using tflite::BuiltinOperator;

constexpr size_t kMaxNumbers = 256;

// The operators in the order of Sample::kind, simplest first.
constexpr std::array<BuiltinOperator, 6> kOperators = {
    BuiltinOperator::RELU,          BuiltinOperator::ADD,
    BuiltinOperator::SUB,           BuiltinOperator::MAXIMUM,
    BuiltinOperator::CONCATENATION, BuiltinOperator::FULLY_CONNECTED};

class ModelBuilder {
 public:
  ModelBuilder() {
    model_.buffers.emplace_back();
    for (const BuiltinOperator code : kOperators) {
      model_.codes.push_back({code});
    }
    model_.graphs.emplace_back();
  }

  void AddInput(size_t numbers) {
    graph().inputs.push_back(AddActivation(numbers));
  }

  // Appends the operator kOperators[kind], applied to the computed tensors x
  // and y. If the operator cannot read both, it reads x twice or only x.
  void AddOperator(size_t kind, size_t x, size_t y, uint64_t seed) {
    const size_t numbers = activations_[x].numbers;
    if (kOperators[kind] == BuiltinOperator::FULLY_CONNECTED) {
      const size_t outputs = 1 + seed % std::min<size_t>(numbers * 2, 64);
      const int32_t weights = AddWeights(outputs, numbers, seed);
      Emit(kind, {Use(x), weights}, outputs);
    } else if (kOperators[kind] == BuiltinOperator::RELU) {
      Emit(kind, {Use(x)}, numbers);
    } else if (kOperators[kind] == BuiltinOperator::CONCATENATION) {
      const size_t sum = numbers + activations_[y].numbers;
      if (sum > kMaxNumbers) return AddOperator(0, x, y, seed);
      Emit(kind, {Use(x), Use(y)}, sum);
    } else {
      const bool fit = activations_[y].numbers == numbers;
      Emit(kind, {Use(x), Use(fit ? y : x)}, numbers);
    }
  }

  size_t activation_count() const { return activations_.size(); }

  ModelInstance Finish() && {
    for (const Activation& activation : activations_) {
      if (!activation.is_read) graph().outputs.push_back(activation.tensor);
    }
    return {Build(model_), std::move(text_)};
  }

 private:
  GraphSpec& graph() { return model_.graphs[0]; }

  struct Activation {
    int32_t tensor;
    size_t numbers;
    bool is_read;
  };

  int32_t Use(size_t activation) {
    activations_[activation].is_read = true;
    return activations_[activation].tensor;
  }

  int32_t AddTensor(std::vector<int32_t> shape, uint32_t buffer) {
    const size_t index = graph().tensors.size();
    graph().tensors.push_back({std::move(shape), tflite::TensorType::FLOAT32,
                               buffer, absl::StrCat("t", index)});
    return static_cast<int32_t>(index);
  }

  int32_t AddActivation(size_t numbers) {
    const int32_t tensor = AddTensor({1, static_cast<int32_t>(numbers)}, 0);
    activations_.push_back({tensor, numbers, false});
    return tensor;
  }

  // Adds weights from -1 to 1 that are multiples of 1/8.
  int32_t AddWeights(size_t rows, size_t columns, uint64_t seed) {
    BufferSpec& buffer = model_.buffers.emplace_back();
    Random random(seed);
    for (size_t i = 0; i < rows * columns; ++i) {
      const float weight = static_cast<float>(random.Below(17)) / 8 - 1;
      std::array<uint8_t, sizeof(weight)> bytes{};
      std::memcpy(bytes.data(), &weight, sizeof(weight));
      buffer.data.insert(buffer.data.end(), bytes.begin(), bytes.end());
    }
    return AddTensor(
        {static_cast<int32_t>(rows), static_cast<int32_t>(columns)},
        static_cast<uint32_t>(model_.buffers.size()) - 1);
  }

  void Emit(size_t kind, std::vector<int32_t> inputs, size_t numbers) {
    absl::StrAppend(&text_, tflite::EnumNameBuiltinOperator(kOperators[kind]));
    for (const int32_t input : inputs) absl::StrAppend(&text_, " t", input);
    const int32_t output = AddActivation(numbers);
    absl::StrAppend(&text_, " -> t", output, " of ", numbers, "\n");
    OperatorDraft& op = graph().operators.emplace_back();
    op.code = static_cast<uint32_t>(kind);
    op.inputs = std::move(inputs);
    op.outputs = {output};
    SetOptions(kOperators[kind], &op.options);
  }

  static void SetOptions(BuiltinOperator code,
                         tflite::BuiltinOptionsUnion* options) {
    switch (code) {
      case BuiltinOperator::ADD:
        return options->Set(tflite::AddOptionsT());
      case BuiltinOperator::SUB:
        return options->Set(tflite::SubOptionsT());
      case BuiltinOperator::MAXIMUM:
        return options->Set(tflite::MaximumMinimumOptionsT());
      case BuiltinOperator::FULLY_CONNECTED: {
        // Limits the results, which would otherwise grow with every layer.
        tflite::FullyConnectedOptionsT fully_connected;
        fully_connected.fused_activation_function =
            tflite::ActivationFunctionType::RELU_N1_TO_1;
        return options->Set(fully_connected);
      }
      case BuiltinOperator::CONCATENATION: {
        tflite::ConcatenationOptionsT concatenation;
        concatenation.axis = 1;
        return options->Set(concatenation);
      }
      default:
        return;
    }
  }

  ModelSpec model_;
  std::vector<Activation> activations_;
  std::string text_;
};

}  // namespace

ModelInstance ModelFromSamples(absl::Span<const Sample> samples,
                               const Parameters& parameters) {
  const Sample limits = ModelSampleLimits(parameters);
  ModelBuilder builder;
  builder.AddInput(samples.empty() ? 1 : 1 + samples[0].size % limits.size);
  for (const Sample& sample : samples) {
    const size_t count = builder.activation_count();
    const size_t x = count - 1 - (sample.gap % limits.gap) % count;
    const size_t y = count - 1 - (sample.life % limits.life) % count;
    builder.AddOperator(sample.kind % limits.kind, x, y, sample.size);
  }
  return std::move(builder).Finish();
}

Sample ModelSampleLimits(const Parameters& parameters) {
  Sample limits;
  limits.size = 64;
  limits.gap = limits.life =
      std::min<uint64_t>(parameters.max_life, 1 << 20) + 1;
  limits.kind = kOperators.size();
  limits.alignment = 1;
  return limits;
}

ModelInstance RandomModel(uint64_t seed, size_t size,
                          const Parameters& parameters) {
  return ModelFromSamples(
      SamplesBelow(ModelSampleLimits(parameters), seed, size), parameters);
}

}  // namespace stowage::testing
