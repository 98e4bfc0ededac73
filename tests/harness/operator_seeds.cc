// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/operator_seeds.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"
#include "tests/support/net_builder.h"

namespace stowage::harness {
namespace {

using tflite::BuiltinOperator;
using tflite::TensorType;

constexpr int kMaxInputs = 4;

struct Trial {
  TensorType type;
  int inputs;
  unsigned lists;  // bit i: input i is a list
};

BuiltinOperator CodeOf(const OperatorRegistration& op) {
  if (op.is_custom) return BuiltinOperator::CUSTOM;
  for (const BuiltinOperator code : tflite::EnumValuesBuiltinOperator()) {
    if (op.name == tflite::EnumNameBuiltinOperator(code)) return code;
  }
  return BuiltinOperator::CUSTOM;
}

std::string BuildTrial(const OperatorRegistration& op, const Trial& trial) {
  NetBuilder net;
  const bool is_quantized =
      trial.type == TensorType::INT8 || trial.type == TensorType::UINT8;
  net.SetType(trial.type, is_quantized ? 0.5F : 0);
  std::vector<int32_t> inputs;
  for (int i = 0; i < trial.inputs; ++i) {
    const bool is_list = (trial.lists >> i & 1U) != 0;
    inputs.push_back(is_list ? net.List({1}) : net.Input({2, 3}));
  }
  const int32_t output = net.Tensor({2, 3});
  net.AddOperator(CodeOf(op), std::move(inputs), {output},
                  op.is_custom ? op.name : "");
  net.MarkOutput(output);
  return Build(net.spec());
}

bool Runs(const std::string& bytes) {
  const auto model = Model::Parse(bytes, "trial");
  if (!model.ok()) return false;
  const auto interpreter = Interpreter::Create(**model);
  if (!interpreter.ok()) return false;
  Subgraph& graph = (*interpreter)->primary();
  return graph.Allocate().ok() && graph.Invoke().ok();
}

}  // namespace

absl::optional<std::string> FindSeed(const OperatorRegistration& op) {
  for (const TensorType type :
       {TensorType::FLOAT32, TensorType::INT32, TensorType::BOOL,
        TensorType::INT8, TensorType::UINT8}) {
    for (int inputs = 1; inputs <= kMaxInputs; ++inputs) {
      for (unsigned lists = 0; lists < 1U << inputs; ++lists) {
        std::string bytes = BuildTrial(op, {type, inputs, lists});
        if (Runs(bytes)) return bytes;
      }
    }
  }
  return absl::nullopt;
}

}  // namespace stowage::harness
