// SPDX-License-Identifier: Apache-2.0
// A delegate in a shared library, by public headers alone: it runs RELU, ABS
// and NEG of floats. docs/write-a-delegate.md goes through it.
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/kernel_tools.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace {

using stowage::ElementType;
using stowage::InPlace;
using stowage::OperatorSpec;
using stowage::harness::Delegate;
using stowage::harness::DelegateGraph;
using stowage::harness::DelegateInfo;
using stowage::harness::DelegateKernel;
using stowage::harness::DelegatePartition;
using stowage::harness::PartitionContext;
using stowage::harness::PartitionStep;
using stowage::harness::Tensor;

using Function = float (*)(float);

// Null for an operator that this delegate does not have.
Function FunctionOf(absl::string_view name) {
  if (name == "RELU") return [](float x) { return x > 0 ? x : 0; };
  if (name == "ABS") return [](float x) { return std::fabs(x); };
  if (name == "NEG") return [](float x) { return -x; };
  return nullptr;
}

// Runs one partition, each node of it as a step.
class RectifierKernel : public DelegateKernel {
 public:
  RectifierKernel(const DelegateGraph& graph,
                  const DelegatePartition& partition) {
    for (const int id : partition.nodes) {
      const OperatorSpec& node = graph.node(id);
      PartitionStep step;
      step.name = node.name;
      step.reads = {node.inputs[0]};
      step.writes = {node.outputs[0]};
      // The output may take over the memory of the input: each element is read
      // before it is written.
      step.in_place = InPlace::kInput0;
      steps_.push_back(step);
      functions_.push_back(FunctionOf(node.name));
    }
  }

  std::vector<PartitionStep> Steps() const override { return steps_; }

  // Nothing to prepare: no workspace, no weights.
  absl::Status Prepare(PartitionContext& /*context*/) override {
    return absl::OkStatus();
  }

  absl::Status Invoke(PartitionContext& context) override {
    const PartitionStep& step = steps_[context.step()];
    STOWAGE_ASSIGN_OR_RETURN(const Tensor* const input,
                             context.Read(step.reads[0]));
    STOWAGE_ASSIGN_OR_RETURN(Tensor* const output,
                             context.Write(step.writes[0]));
    const float* const from = input->as<float>();
    float* const to = output->as<float>();
    const size_t count = input->bytes / sizeof(float);
    const Function function = functions_[context.step()];
    for (size_t i = 0; i < count; ++i) to[i] = function(from[i]);
    return absl::OkStatus();
  }

 private:
  std::vector<PartitionStep> steps_;
  std::vector<Function> functions_;
};

class Rectifier : public Delegate {
 public:
  DelegateInfo info() const override {
    DelegateInfo info;
    info.name = "rectifier";
    return info;
  }

  bool CanRun(const DelegateGraph& graph, int node) override {
    const OperatorSpec& op = graph.node(node);
    return !op.is_custom && FunctionOf(op.name) != nullptr &&
           op.inputs.size() == 1 && op.outputs.size() == 1 &&
           graph.tensor(op.inputs[0]).type == ElementType::kFloat32;
  }

  absl::StatusOr<std::unique_ptr<DelegateKernel>> CreateKernel(
      const DelegateGraph& graph, const DelegatePartition& partition) override {
    return std::make_unique<RectifierKernel>(graph, partition);
  }
};

absl::StatusOr<std::unique_ptr<Delegate>> CreateRectifier(
    absl::string_view options) {
  if (!options.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("options '", options, "'; expected none"));
  }
  return std::make_unique<Rectifier>();
}

}  // namespace

STOWAGE_DELEGATE_LIBRARY(CreateRectifier);
