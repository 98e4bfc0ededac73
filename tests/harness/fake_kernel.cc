// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/fake_kernel.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/model.h"
#include "tests/harness/fake_delegate.h"

namespace stowage::harness {
namespace {

bool Has(const std::vector<size_t>& tensors, size_t tensor) {
  return std::find(tensors.begin(), tensors.end(), tensor) != tensors.end();
}

std::vector<size_t> Present(const std::vector<size_t>& tensors) {
  std::vector<size_t> present;
  for (const size_t t : tensors) {
    if (t != kAbsent) present.push_back(t);
  }
  return present;
}

}  // namespace

// Presents one operator of a partition to the operator's kernel.
class FakeContext : public OperatorContext {
 public:
  FakeContext(FakeKernel* kernel, PartitionContext* partition, size_t op,
              FakeKernel::Phase phase)
      : kernel_(*kernel),
        partition_(*partition),
        op_(kernel->operators_[op]),
        index_(op),
        phase_(phase) {}

  absl::Status Find() {
    for (const size_t t : op_.spec->inputs) {
      inputs_.push_back(nullptr);
      if (t == kAbsent) continue;
      absl::StatusOr<const Tensor*> tensor = FindInput(t);
      if (!tensor.ok()) return tensor.status();
      // A planted fault may have made this input dynamic, so that it has no
      // memory.
      if (phase_ == FakeKernel::Phase::kInvoke &&
          (*tensor)->storage == Storage::kDynamic &&
          (*tensor)->data == nullptr && (*tensor)->elements() > 0) {
        return absl::FailedPreconditionError("an input is lost");
      }
      inputs_.back() = *tensor;
    }
    for (const size_t t : op_.spec->outputs) {
      outputs_.push_back(nullptr);
      if (t == kAbsent) continue;
      absl::StatusOr<Tensor*> tensor = FindOutput(t);
      if (!tensor.ok()) return tensor.status();
      outputs_.back() = *tensor;
    }
    return absl::OkStatus();
  }
  const absl::Status& status() const { return status_; }

  const OperatorSpec& spec() const override { return *op_.spec; }
  const Tensor& input(size_t i) const override { return *inputs_[i]; }
  Tensor& output(size_t i) override { return *outputs_[i]; }
  Tensor& variable(size_t i) override {
    return **partition_.Write(op_.spec->inputs[i]);
  }
  Tensor& temporary(size_t i) override { return op_.temporaries[i]; }
  size_t temporary_count() const override { return op_.temporaries.size(); }
  absl::Status ResizeOutput(size_t i, const Shape& shape) override;
  void MakeOutputDynamic(size_t i) override;
  absl::StatusOr<size_t> AddTemporary(ElementType type,
                                      const Shape& shape) override;
  absl::StatusOr<void*> NewPersistentBytes(size_t bytes) override {
    op_.data.emplace_back(bytes / sizeof(uint64_t) + 1);
    return op_.data.back().data();
  }
  ResourceVariables& resources() override { return partition_.resources(); }
  absl::Status InvokeOnce(size_t subgraph) override {
    return partition_.InvokeOnce(subgraph);
  }

 private:
  absl::StatusOr<const Tensor*> FindInput(size_t t) {
    const auto device = kernel_.device_.find(t);
    if (device != kernel_.device_.end()) return &device->second;
    const auto inner = kernel_.inner_.find(t);
    if (inner != kernel_.inner_.end()) return &inner->second.tensor;
    return partition_.Read(t);
  }
  absl::StatusOr<Tensor*> FindOutput(size_t t) {
    const auto device = kernel_.device_.find(t);
    if (device != kernel_.device_.end()) return &device->second;
    const auto inner = kernel_.inner_.find(t);
    if (inner != kernel_.inner_.end()) return &inner->second.tensor;
    return partition_.Write(t);
  }

  FakeKernel& kernel_;
  PartitionContext& partition_;
  FakeKernel::Operator& op_;
  size_t index_;
  FakeKernel::Phase phase_;
  std::vector<const Tensor*> inputs_;
  std::vector<Tensor*> outputs_;
  absl::Status status_;
};

absl::Status FakeContext::ResizeOutput(size_t i, const Shape& shape) {
  const size_t t = op_.spec->outputs[i];
  const auto inner = kernel_.inner_.find(t);
  if (inner == kernel_.inner_.end()) return partition_.ResizeOutput(t, shape);
  Tensor& tensor = inner->second.tensor;
  const absl::StatusOr<size_t> bytes = TensorBytes(tensor.type, shape);
  if (!bytes.ok()) return bytes.status();
  tensor.shape = shape;
  tensor.bytes = *bytes;
  if (phase_ != FakeKernel::Phase::kPrepare && inner->second.is_dynamic) {
    inner->second.own.assign(*bytes + 1, 0xEE);
    tensor.data = inner->second.own.data();
  }
  return absl::OkStatus();
}

void FakeContext::MakeOutputDynamic(size_t i) {
  if (phase_ != FakeKernel::Phase::kPrepare) return;
  const size_t t = op_.spec->outputs[i];
  kernel_.late_ = std::min(kernel_.late_, index_ + 1);
  const auto inner = kernel_.inner_.find(t);
  if (inner != kernel_.inner_.end()) {
    inner->second.is_dynamic = true;
  } else {
    status_.Update(partition_.MakeOutputDynamic(t));
  }
}

absl::StatusOr<size_t> FakeContext::AddTemporary(ElementType type,
                                                 const Shape& shape) {
  const absl::StatusOr<size_t> bytes = TensorBytes(type, shape);
  if (!bytes.ok()) return bytes.status();
  Tensor& tensor = op_.temporaries.emplace_back();
  tensor.type = type;
  tensor.shape = shape;
  tensor.bytes = *bytes;
  op_.workspaces.emplace_back();
  op_.own.emplace_back();
  if (phase_ == FakeKernel::Phase::kPrepareLate) {
    op_.own.back().resize(*bytes + 1);
    tensor.data = op_.own.back().data();
    return op_.temporaries.size() - 1;
  }
  const bool is_step = kernel_.delegate_.spec().is_transparent;
  const size_t step = is_step ? index_ : 0;
  const absl::StatusOr<size_t> workspace = partition_.AddWorkspace(
      *bytes, kernel_.delegate_.spec().workspace_alignment, step, step);
  if (!workspace.ok()) return workspace.status();
  op_.workspaces.back() = *workspace;
  return op_.temporaries.size() - 1;
}

FakeKernel::FakeKernel(FakeDelegate* delegate, const DelegateGraph& graph,
                       const DelegatePartition& partition)
    : delegate_(*delegate), partition_(partition) {
  ++delegate_.log().kernels_created;
  for (const int id : partition.nodes) {
    Operator op;
    op.spec = &graph.spec().operators[static_cast<size_t>(id)];
    const OperatorRegistration& registration =
        *graph.resolver().Find(op.spec->name, op.spec->is_custom);
    op.kernel = registration.create();
    op.in_place = registration.in_place;
    operators_.push_back(std::move(op));
  }
}

FakeKernel::~FakeKernel() { ++delegate_.log().kernels_destroyed; }

std::vector<PartitionStep> FakeKernel::Steps() const {
  std::vector<PartitionStep> steps;
  if (delegate_.spec().is_transparent) {
    for (const Operator& op : operators_) {
      steps.push_back({op.spec->name, Present(op.spec->inputs),
                       Present(op.spec->outputs), op.in_place});
    }
  }
  if (delegate_.spec().steps) delegate_.spec().steps(&steps);
  return steps;
}

absl::Status FakeKernel::Call(PartitionContext& context, size_t op,
                              Phase phase) {
  FakeContext adapter(this, &context, op, phase);
  absl::Status status = adapter.Find();
  if (!status.ok()) return status;
  Operator& called = operators_[op];
  if (phase == Phase::kInvoke) {
    delegate_.log().run.push_back(called.spec->name);
    status = called.kernel->Invoke(adapter);
  } else {
    called.temporaries.clear();
    called.workspaces.clear();
    called.own.clear();
    called.data.clear();
    status = called.kernel->Prepare(adapter);
  }
  status.Update(adapter.status());
  return status;
}

absl::Status FakeKernel::Prepare(PartitionContext& context) {
  ++delegate_.log().kernels_prepared;
  inner_.clear();
  if (!delegate_.spec().is_transparent) {
    for (const Operator& op : operators_) {
      for (const size_t t : Present(op.spec->outputs)) {
        if (Has(partition_.outputs, t)) continue;
        Tensor& tensor = inner_[t].tensor;
        tensor = context.graph().tensor(t);
        tensor.data = nullptr;
      }
    }
  }
  late_ = operators_.size();
  for (size_t i = 0; i < late_; ++i) {
    absl::Status status = Call(context, i, Phase::kPrepare);
    if (!status.ok()) return status;
  }
  for (size_t i = late_; i < operators_.size(); ++i) {
    for (const size_t t : Present(operators_[i].spec->outputs)) {
      const auto inner = inner_.find(t);
      if (inner != inner_.end()) {
        inner->second.is_dynamic = true;
        continue;
      }
      absl::Status status = context.MakeOutputDynamic(t);
      if (!status.ok()) return status;
    }
  }
  for (auto& [t, inner] : inner_) {
    if (inner.is_dynamic) continue;
    const absl::StatusOr<size_t> workspace = context.AddWorkspace(
        inner.tensor.bytes, delegate_.spec().workspace_alignment);
    if (!workspace.ok()) return workspace.status();
    inner.workspace = *workspace;
  }
  if (delegate_.spec().has_buffers) {
    absl::Status status = PrepareBuffers(context);
    if (!status.ok()) return status;
  }
  return delegate_.spec().kernel_prepare ? PrepareByHook(context)
                                         : absl::OkStatus();
}

absl::Status FakeKernel::PrepareByHook(PartitionContext& context) {
  std::map<size_t, Shape> needed;
  for (const Operator& op : operators_) {
    for (const size_t t : Present(op.spec->inputs)) {
      needed[t] = context.graph().tensor(t).shape;
    }
    // Operators such as Copy determine how many bytes to write from the shape
    // of their output, so this shape must not change either.
    if (op.in_place == InPlace::kNever) continue;
    for (const size_t t : Present(op.spec->outputs)) {
      needed[t] = context.graph().tensor(t).shape;
    }
  }
  absl::Status status = delegate_.spec().kernel_prepare(context);
  if (!status.ok()) return status;
  for (const auto& [t, shape] : needed) {
    // The operators were prepared for `shape`. They cannot run if the hook has
    // changed it.
    if (context.graph().tensor(t).shape != shape) {
      return absl::FailedPreconditionError("a shape is lost");
    }
  }
  return absl::OkStatus();
}

absl::Status FakeKernel::PrepareBuffers(PartitionContext& context) {
  for (const size_t t : partition_.outputs) {
    const absl::StatusOr<Tensor*> tensor = context.Write(t);
    if (!tensor.ok()) return tensor.status();
    absl::Status status =
        context.SetBufferHandle(t, delegate_.CreateBuffer((*tensor)->bytes));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status FakeKernel::Invoke(PartitionContext& context) {
  ++delegate_.log().invocations;
  const FakeSpec& spec = delegate_.spec();
  if (spec.before_invoke) {
    absl::Status status = spec.before_invoke(context);
    if (!status.ok()) return status;
  }
  absl::Status status = Run(context);
  for (const auto& [t, tensor] : device_) {
    delegate_.buffer(context.buffer_handle(t))->Close();
  }
  device_.clear();
  if (!status.ok()) return status;
  return spec.after_invoke ? spec.after_invoke(context) : absl::OkStatus();
}

absl::Status FakeKernel::Run(PartitionContext& context) {
  for (size_t i = 0; i < operators_.size(); ++i) {
    Operator& op = operators_[i];
    if (delegate_.spec().is_transparent && i != context.step()) continue;
    for (size_t j = 0; j < op.workspaces.size(); ++j) {
      if (!op.workspaces[j]) continue;
      op.temporaries[j].data = context.workspace(*op.workspaces[j]).data();
    }
  }
  for (auto& [t, inner] : inner_) {
    if (inner.workspace) {
      inner.tensor.data = context.workspace(*inner.workspace).data();
    }
  }
  if (delegate_.spec().has_buffers) {
    // An input that has a buffer is read from the buffer. All outputs are
    // written to their buffers.
    std::vector<size_t> tensors = partition_.outputs;
    for (const size_t t : partition_.inputs) {
      if (context.buffer_handle(t) >= 0) {
        // CopyToBuffer does nothing if the buffer already has the content.
        absl::Status status = context.CopyToBuffer(t);
        if (!status.ok()) return status;
        tensors.push_back(t);
      }
    }
    for (const size_t t : tensors) {
      const Tensor& described = context.graph().tensor(t);
      DeviceMemory* const buffer = delegate_.buffer(context.buffer_handle(t));
      // A planted fault may have freed the buffer, or may have set a handle
      // that no buffer has.
      if (buffer == nullptr || buffer->size() < described.bytes) {
        return absl::FailedPreconditionError("a buffer is lost");
      }
      Tensor& tensor = device_[t];
      tensor = described;
      tensor.data = buffer->Open();
    }
  }
  if (delegate_.spec().is_transparent) {
    // A hook may have added steps that do nothing.
    return context.step() < operators_.size()
               ? Call(context, context.step(), Phase::kInvoke)
               : absl::OkStatus();
  }
  for (size_t i = 0; i < operators_.size(); ++i) {
    absl::Status status = absl::OkStatus();
    if (i >= late_) status = Call(context, i, Phase::kPrepareLate);
    if (status.ok()) status = Call(context, i, Phase::kInvoke);
    if (!status.ok()) return status;
  }
  if (!delegate_.spec().has_buffers) return absl::OkStatus();
  for (const size_t t : partition_.outputs) {
    absl::Status status = context.MarkStale(t);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::vector<DelegateMemory> FakeKernel::Memory() const {
  if (delegate_.spec().memory) delegate_.spec().memory();
  return {};
}

}  // namespace stowage::harness
