// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/onednn/onednn_kernel.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/delegates/onednn/operation.h"
#include "stowage/harness/delegate.h"

namespace stowage::harness::onednn {
namespace {

// The alignment of scratch memory in bytes. oneDNN itself aligns scratch memory
// to a page, but a cache line is enough for every instruction.
constexpr size_t kScratchAlignment = 64;

}  // namespace

// Copies a constant into memory of its own. The copy is needed even if the
// primitive accepts the layout of the model, because oneDNN may read beyond the
// end of a constant.
dnnl::memory OnednnKernel::Pack(const Constant& constant) {
  // The cast is safe, since oneDNN does not write to the source of a copy.
  void* const data = const_cast<void*>(
      constant.data != nullptr
          ? constant.data
          : static_cast<const void*>(constant.converted.data()));
  dnnl::memory given(constant.given, engine_, data);
  dnnl::memory packed(constant.wanted, engine_);
  dnnl::reorder(given, packed).execute(stream_, given, packed);
  stream_.wait();
  packed_bytes_ += constant.wanted.get_size();
  return packed;
}

absl::Status OnednnKernel::Add(std::string name, Operation operation) {
  const ThreadScope scope(threads_);
  const absl::StatusOr<Step> made = Guard([&] {
    Step step;
    step.name = std::move(name);
    step.primitive = dnnl::primitive(operation.primitive);
    for (const Constant& constant : operation.constants) {
      step.arguments[constant.argument] = Pack(constant);
    }
    const auto add_empty = [&](int argument, const dnnl::memory::desc& desc) {
      step.arguments[argument] = dnnl::memory(desc, engine_, nullptr);
    };
    for (const Operand& input : operation.inputs) {
      add_empty(input.argument, input.desc);
    }
    add_empty(operation.output.argument, operation.output.desc);
    const dnnl::memory::desc scratch = operation.primitive.scratchpad_desc();
    add_empty(DNNL_ARG_SCRATCHPAD, scratch);
    step.scratch_bytes = scratch.get_size();
    operation.constants.clear();
    step.operation = std::move(operation);
    return step;
  });
  if (!made.ok()) return absl::InternalError(made.status().message());
  steps_.push_back(*made);
  return absl::OkStatus();
}

std::vector<PartitionStep> OnednnKernel::Steps() const {
  std::vector<PartitionStep> steps;
  for (const Step& step : steps_) {
    PartitionStep task;
    task.name = step.name;
    for (const Operand& input : step.operation.inputs) {
      task.reads.push_back(input.tensor);
    }
    task.writes = {step.operation.output.tensor};
    task.in_place = step.operation.in_place;
    steps.push_back(std::move(task));
  }
  return steps;
}

absl::Status OnednnKernel::Prepare(PartitionContext& context) {
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].scratch_bytes == 0) continue;
    const absl::StatusOr<size_t> workspace =
        context.AddWorkspace(steps_[i].scratch_bytes, kScratchAlignment, i, i);
    if (!workspace.ok()) return workspace.status();
    steps_[i].workspace = *workspace;
  }
  return absl::OkStatus();
}

absl::Status OnednnKernel::Invoke(PartitionContext& context) {
  Step& step = steps_[context.step()];
  const Operand& written = step.operation.output;
  const absl::StatusOr<Tensor*> output = context.Write(written.tensor);
  if (!output.ok()) return output.status();
  std::vector<const Tensor*> inputs;
  for (const Operand& read : step.operation.inputs) {
    const absl::StatusOr<const Tensor*> input = context.Read(read.tensor);
    if (!input.ok()) return input.status();
    inputs.push_back(*input);
  }
  const ThreadScope scope(threads_);
  const absl::StatusOr<bool> done = Guard([&] {
    step.arguments[written.argument].set_data_handle((*output)->data);
    for (size_t i = 0; i < inputs.size(); ++i) {
      step.arguments[step.operation.inputs[i].argument].set_data_handle(
          inputs[i]->data);
    }
    if (step.scratch_bytes > 0) {
      step.arguments[DNNL_ARG_SCRATCHPAD].set_data_handle(
          context.workspace(step.workspace).data());
    }
    step.primitive.execute(stream_, step.arguments);
    stream_.wait();
    return true;
  });
  return done.ok() ? absl::OkStatus()
                   : absl::InternalError(done.status().message());
}

std::vector<DelegateMemory> OnednnKernel::Memory() const {
  if (packed_bytes_ == 0) return {};
  return {{"packed weights", packed_bytes_}};
}

}  // namespace stowage::harness::onednn
