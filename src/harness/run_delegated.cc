// SPDX-License-Identifier: Apache-2.0
// Prepares and runs a node of a delegate.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/call_delegate.h"
#include "src/harness/call_frames.h"
#include "src/harness/delegate_view.h"
#include "src/harness/delegated_node.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/tensor.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

enum class Phase { kPrepare, kInvoke };

bool Has(absl::Span<const size_t> tensors, size_t tensor) {
  return absl::c_linear_search(tensors, tensor);
}

// Gives the kernel of a delegate node access to its part of the graph.
class NodePartitionContext : public PartitionContext {
 public:
  // All arguments must outlive this object.
  NodePartitionContext(SharedState* shared, RunningGraph* running,
                       DelegatedNode* node, Phase phase, size_t step)
      : shared_(*shared),
        running_(*running),
        graph_(running, node->info),
        node_(*node),
        phase_(phase),
        step_(step) {}

  const DelegateGraph& graph() const override { return graph_; }
  const DelegatePartition& partition() const override {
    return node_.partition;
  }
  size_t step() const override { return step_; }

  absl::StatusOr<const Tensor*> Read(size_t tensor) const override;
  absl::StatusOr<Tensor*> Write(size_t tensor) override;
  absl::StatusOr<size_t> AddWorkspace(size_t bytes, size_t alignment,
                                      size_t first_step,
                                      size_t last_step) override;
  absl::StatusOr<size_t> AddWorkspace(size_t bytes, size_t alignment) override {
    return AddWorkspace(bytes, alignment, 0, node_.task_count() - 1);
  }
  absl::Span<uint8_t> workspace(size_t i) override;
  absl::Status ResizeOutput(size_t tensor, const Shape& shape) override;
  absl::Status MakeOutputDynamic(size_t tensor) override;
  absl::Status SetBufferHandle(size_t tensor, int handle) override;
  int buffer_handle(size_t tensor) const override {
    return running_.buffers().HandleOf(tensor, node_.delegate);
  }
  absl::Status FreeBufferHandle(size_t tensor) override {
    return About(tensor, running_.buffers().Free(tensor, node_.delegate));
  }
  absl::Status MarkStale(size_t tensor) override;
  bool is_stale(size_t tensor) const override {
    return running_.buffers().IsStale(tensor);
  }
  absl::Status CopyToBuffer(size_t tensor) override;
  ResourceVariables& resources() override { return shared_.resources; }
  absl::Status InvokeOnce(size_t subgraph) override {
    return running_.frames().InvokeOnce(subgraph);
  }
  MemoryBudget& memory_budget() override { return shared_.budget; }

 private:
  bool IsRead(size_t tensor) const;
  bool IsWritten(size_t tensor) const;
  bool IsTensor(size_t tensor) const {
    return tensor < running_.spec().tensors.size();
  }
  // Returns `status` with the name of the tensor in front.
  absl::Status About(size_t tensor, const absl::Status& status) const;
  absl::Status Refuse(size_t tensor, absl::string_view access) const;
  absl::Status CheckOutput(size_t tensor) const;
  absl::Status CheckPhase(Phase expected, size_t tensor,
                          absl::string_view what) const;

  SharedState& shared_;
  RunningGraph& running_;
  DelegateView graph_;
  DelegatedNode& node_;
  Phase phase_;
  size_t step_;
};

absl::Status NodePartitionContext::About(size_t tensor,
                                         const absl::Status& status) const {
  if (status.ok()) return status;
  if (!IsTensor(tensor)) {
    return AtPlace(absl::StrCat("tensor ", tensor), status);
  }
  return WithTensor(AtPlace(running_.spec().TensorPlace(tensor), status),
                    tensor);
}

bool NodePartitionContext::IsRead(size_t tensor) const {
  if (running_.tensors()[tensor].is_constant()) return true;
  if (phase_ == Phase::kInvoke) return Has(node_.SpecOf(step_).inputs, tensor);
  return Has(node_.partition.inputs, tensor) ||
         absl::c_any_of(node_.steps, [&](const PartitionStep& step) {
           return Has(step.reads, tensor);
         });
}

bool NodePartitionContext::IsWritten(size_t tensor) const {
  if (phase_ == Phase::kInvoke) return Has(node_.SpecOf(step_).outputs, tensor);
  return Has(node_.partition.outputs, tensor) ||
         absl::c_any_of(node_.steps, [&](const PartitionStep& step) {
           return Has(step.writes, tensor);
         });
}

absl::Status NodePartitionContext::Refuse(size_t tensor,
                                          absl::string_view access) const {
  if (!IsTensor(tensor)) {
    return About(tensor, absl::InvalidArgumentError(absl::StrCat(
                             "no such tensor; expected an index below ",
                             running_.spec().tensors.size())));
  }
  const std::string inside = running_.InsideOf(tensor);
  if (!inside.empty()) {
    return About(tensor,
                 absl::FailedPreconditionError(absl::StrCat(
                     access, ", but it is ", inside, "; expected one that ",
                     access == "read" ? "goes into" : "comes out of",
                     " the partition or the step")));
  }
  return About(tensor,
               absl::InvalidArgumentError(absl::StrCat(
                   access, ", but it is not declared; expected a tensor that ",
                   "the partition or the step has to ", access)));
}

absl::StatusOr<const Tensor*> NodePartitionContext::Read(size_t tensor) const {
  if (!IsTensor(tensor) || (!IsRead(tensor) && !IsWritten(tensor))) {
    return Refuse(tensor, "read");
  }
  const Tensor& described = running_.tensors()[tensor];
  if (phase_ == Phase::kInvoke && described.data == nullptr &&
      described.bytes > 0) {
    return About(tensor, absl::FailedPreconditionError(
                             "no data; expected memory to read"));
  }
  return &described;
}

absl::StatusOr<Tensor*> NodePartitionContext::Write(size_t tensor) {
  const bool is_variable =
      IsTensor(tensor) && running_.tensors()[tensor].is_variable;
  if (!IsTensor(tensor) ||
      !(IsWritten(tensor) || (is_variable && IsRead(tensor)))) {
    return Refuse(tensor, "write");
  }
  return &running_.tensors()[tensor];
}

absl::StatusOr<size_t> NodePartitionContext::AddWorkspace(size_t bytes,
                                                          size_t alignment,
                                                          size_t first_step,
                                                          size_t last_step) {
  if (!IsValidAlignment(alignment)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "workspace: alignment ", alignment, "; expected a power of two"));
  }
  if (first_step > last_step || last_step >= node_.task_count()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "workspace: steps [", first_step, ", ", last_step,
        "]; expected steps below ", node_.task_count(), " in their order"));
  }
  if (phase_ != Phase::kPrepare) {
    return WrongPhase("workspace: requested", /*is_invoke=*/true);
  }
  const size_t limit = shared_.budget.limit();
  if (bytes > limit || alignment > limit) {
    return absl::ResourceExhaustedError(
        absl::StrCat("workspace: ", bytes, " bytes aligned to ", alignment,
                     "; expected at most ", limit, ", the memory limit"));
  }
  node_.workspaces.push_back({bytes, alignment, first_step, last_step});
  return node_.workspaces.size() - 1;
}

absl::Span<uint8_t> NodePartitionContext::workspace(size_t i) {
  if (phase_ == Phase::kPrepare || i >= node_.workspaces.size()) return {};
  const Workspace& workspace = node_.workspaces[i];
  auto* const data = running_.tensors()[workspace.tensor].as<uint8_t>();
  if (data == nullptr || workspace.bytes == 0) return {};
  const auto address = reinterpret_cast<uintptr_t>(data);
  const uintptr_t aligned =
      (address + workspace.alignment - 1) & ~(workspace.alignment - 1);
  return {data + (aligned - address), workspace.bytes};
}

absl::Status NodePartitionContext::CheckOutput(size_t tensor) const {
  if (!IsTensor(tensor) || !IsWritten(tensor)) return Refuse(tensor, "write");
  return absl::OkStatus();
}

// Checks that the kernel runs in the expected phase. `what` describes for the
// message what the kernel has done to the tensor.
absl::Status NodePartitionContext::CheckPhase(Phase expected, size_t tensor,
                                              absl::string_view what) const {
  if (phase_ == expected) return absl::OkStatus();
  return About(tensor, WrongPhase(what, phase_ == Phase::kInvoke));
}

absl::Status NodePartitionContext::ResizeOutput(size_t tensor,
                                                const Shape& shape) {
  if (absl::Status status = CheckOutput(tensor); !status.ok()) return status;
  Tensor& output = running_.tensors()[tensor];
  const absl::StatusOr<size_t> bytes = TensorBytes(output.type, shape);
  if (!bytes.ok()) return About(tensor, bytes.status());
  if (output.storage == Storage::kDynamic && phase_ == Phase::kInvoke) {
    return About(tensor,
                 running_.tensors().AllocateDynamic(tensor, shape, *bytes));
  }
  // A kernel may have changed the type, and thereby the number of bytes.
  const bool has_its_size =
      output.storage == Storage::kDynamic || output.bytes == *bytes;
  if (output.shape == shape && has_its_size) return absl::OkStatus();
  if (output.is_variable) return About(tensor, ResizedVariable(output, shape));
  if (!node_.info.allows_dynamic_tensors || phase_ == Phase::kInvoke) {
    return About(tensor,
                 absl::FailedPreconditionError(absl::StrCat(
                     "resized to ", ShapeText(shape), " ",
                     phase_ == Phase::kInvoke ? "in Invoke" : "in Prepare",
                     "; expected ", ShapeText(output.shape), ", since ",
                     node_.info.allows_dynamic_tensors
                         ? "Prepare has not made it dynamic"
                         : "the delegate does not allow dynamic tensors")));
  }
  output.shape = shape;
  output.bytes = *bytes;
  return absl::OkStatus();
}

absl::Status NodePartitionContext::MakeOutputDynamic(size_t tensor) {
  if (absl::Status status = CheckOutput(tensor); !status.ok()) return status;
  if (!node_.info.allows_dynamic_tensors) {
    return About(tensor, absl::FailedPreconditionError(
                             "made dynamic; expected a shape that does not "
                             "depend on data, since the delegate does not "
                             "allow dynamic tensors"));
  }
  absl::Status status = CheckPhase(Phase::kPrepare, tensor, "made dynamic");
  if (!status.ok()) return status;
  Tensor& output = running_.tensors()[tensor];
  if (output.storage == Storage::kArena) {
    output.storage = Storage::kDynamic;
    // The output has no bytes until Invoke sets its shape.
    output.bytes = 0;
    output.data = nullptr;
  }
  if (output.storage == Storage::kDynamic) return absl::OkStatus();
  return About(tensor, absl::FailedPreconditionError(
                           "made dynamic; expected a tensor in the arena, not "
                           "a variable or memory provided by the caller"));
}

absl::Status NodePartitionContext::SetBufferHandle(size_t tensor, int handle) {
  if (!IsTensor(tensor) || (!IsRead(tensor) && !IsWritten(tensor))) {
    return Refuse(tensor, "read");
  }
  return About(tensor, running_.buffers().Set(tensor, node_.delegate, handle));
}

absl::Status NodePartitionContext::MarkStale(size_t tensor) {
  absl::Status status = CheckOutput(tensor);
  if (status.ok()) status = CheckPhase(Phase::kInvoke, tensor, "marked stale");
  if (!status.ok()) return status;
  return About(tensor, running_.buffers().MarkStale(tensor, node_.delegate));
}

absl::Status NodePartitionContext::CopyToBuffer(size_t tensor) {
  const absl::StatusOr<const Tensor*> content = Read(tensor);
  if (!content.ok()) return content.status();
  absl::Status status = CheckPhase(Phase::kInvoke, tensor, "copied");
  if (!status.ok()) return status;
  return About(tensor,
               running_.buffers().CopyTo(tensor, node_.delegate, **content));
}

}  // namespace

// Computes the shapes of the outputs of the partition and of the tensors inside
// it, with the kernels of the replaced operators.
absl::Status RunningGraph::PrepareReplaced(const DelegatedNode& node) {
  const size_t count = tensors_.size();
  absl::Status status;
  for (const int id : node.replaced) {
    const auto index = static_cast<size_t>(id);
    status = PrepareNode(index);
    // The delegate computes the outputs of the node during the run, so their
    // values are not known before.
    ForgetKnown(index);
    nodes_[index].temporaries.clear();
    nodes_[index].data.clear();
    if (!status.ok()) {
      status = AtPlace(spec_.OperatorPlace(index), status);
      break;
    }
    // Stops here, because the shapes of the operators after a dynamic output
    // are not known yet.
    if (HasDynamicOutput(index)) break;
  }
  tensors_.DropTemporaries(count);
  return status;
}

// Prepares a node of a delegate. `knows_shapes` means that all shapes are
// already set, because the replaced operators are still prepared. If it is
// false and the delegate needs the shapes, computes them first.
absl::Status RunningGraph::PrepareDelegated(size_t index, bool knows_shapes) {
  DelegatedNode& node = *nodes_[index].delegated;
  node.workspaces.clear();
  nodes_[index].temporaries.clear();
  if (node.info.wants_shapes && !knows_shapes) {
    if (absl::Status s = PrepareReplaced(node); !s.ok()) return s;
  }
  NodePartitionContext context(shared_, this, &node, Phase::kPrepare, 0);
  absl::Status status =
      CallGuarded("Prepare", [&] { return node.kernel->Prepare(context); });
  if (!status.ok()) return status;
  for (size_t i = 0; i < node.workspaces.size(); ++i) {
    Workspace& workspace = node.workspaces[i];
    // Temporaries have the alignment of tensors. A workspace that requires a
    // larger alignment gets additional bytes, the slack.
    const size_t slack =
        workspace.alignment > shared_->options.tensor_alignment &&
                workspace.bytes > 0
            ? workspace.alignment - shared_->options.tensor_alignment
            : 0;
    const absl::optional<size_t> bytes = CheckedAdd(workspace.bytes, slack);
    if (!bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("workspace: ", workspace.bytes,
                       " bytes overflow 64 bits when aligned"));
    }
    workspace.tensor = tensors_.AddTemporary(absl::StrCat("workspace ", i),
                                             ElementType::kUint8, {}, *bytes);
    nodes_[index].temporaries.push_back(workspace.tensor);
  }
  tensors_.ReserveTemporaries();
  return absl::OkStatus();
}

absl::Status RunningGraph::RunDelegated(size_t index, size_t step) {
  DelegatedNode& node = *nodes_[index].delegated;
  NodePartitionContext context(shared_, this, &node, Phase::kInvoke, step);
  absl::Status status =
      CallGuarded("Invoke", [&] { return node.kernel->Invoke(context); });
  return status.ok() ? CheckResized(node.SpecOf(step)) : status;
}

}  // namespace stowage::harness
