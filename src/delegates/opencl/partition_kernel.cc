// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/opencl/partition_kernel.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/delegates/opencl/cl_objects.h"
#include "src/delegates/opencl/device_plan.h"
#include "src/delegates/opencl/launch.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/kernel_tools.h"
#include "stowage/usage_record.h"

namespace stowage::harness::opencl {
namespace {

absl::Status SetArgument(const OwnedKernel& kernel, size_t i, size_t bytes,
                         const void* value) {
  return CheckCall(
      "clSetKernelArg",
      clSetKernelArg(kernel.get(), static_cast<cl_uint>(i), bytes, value));
}

absl::Status SetBuffer(const OwnedKernel& kernel, size_t i, cl_mem buffer) {
  return SetArgument(kernel, i, sizeof(cl_mem),
                     buffer == nullptr ? nullptr : &buffer);
}

}  // namespace

absl::StatusOr<std::unique_ptr<DelegateKernel>> PartitionKernel::Create(
    DeviceState* state, const PartitionOptions& options,
    const DelegateGraph& graph, const DelegatePartition& partition) {
  auto kernel = absl::WrapUnique(new PartitionKernel(state, options));
  kernel->outputs_ = partition.outputs;
  for (const int node : partition.nodes) {
    STOWAGE_ASSIGN_OR_RETURN(const Launch launch, LaunchOf(graph, node));
    STOWAGE_RETURN_IF_ERROR(kernel->AddStep(graph, launch));
  }
  STOWAGE_RETURN_IF_ERROR(kernel->PlaceInside());
  return kernel;
}

PartitionKernel::~PartitionKernel() { state_->inside.Release(reservation_); }

// Returns the slot of the tensor, and adds one if the tensor has none yet. A
// tensor without a slot has not been written by an earlier step, so it comes
// from outside the partition.
size_t PartitionKernel::SlotOf(const DelegateGraph& graph, size_t tensor) {
  const auto [found, is_new] = slot_of_.emplace(tensor, slots_.size());
  if (is_new) {
    const Tensor& it = graph.tensor(tensor);
    Slot slot;
    slot.tensor = tensor;
    // TensorBytes does not fail, because LaunchOf has checked that the prepared
    // tensor has a size.
    slot.bytes = TensorBytes(it.type, it.shape).value_or(0);
    slot.place = it.is_constant() ? Place::kConstant : Place::kInput;
    slots_.push_back(std::move(slot));
  }
  return found->second;
}

absl::Status PartitionKernel::AddStep(const DelegateGraph& graph,
                                      const Launch& launch) {
  Step step;
  step.name = launch.kernel;
  step.items = launch.items;
  for (const size_t tensor : launch.reads) {
    step.reads.push_back(tensor == kAbsent ? kAbsent : SlotOf(graph, tensor));
  }
  step.writes = SlotOf(graph, launch.writes);
  slots_[step.writes].place = absl::c_linear_search(outputs_, launch.writes)
                                  ? Place::kOutput
                                  : Place::kInside;
  if (!launch.kernel.empty()) {
    STOWAGE_ASSIGN_OR_RETURN(step.kernel,
                             state_->device->NewKernel(launch.kernel));
    STOWAGE_ASSIGN_OR_RETURN(step.group,
                             state_->device->GroupSize(step.kernel.get()));
    size_t i = launch.reads.size();
    if (!launch.table.empty()) {
      std::vector<uint8_t> table = launch.table;
      STOWAGE_ASSIGN_OR_RETURN(
          OwnedBuffer buffer,
          state_->device->NewBuffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                    table.size(), table.data()));
      STOWAGE_RETURN_IF_ERROR(SetBuffer(step.kernel, i++, buffer.get()));
      tables_.push_back(std::move(buffer));
      table_bytes_ += table.size();
    }
    step.output_argument = i;
    STOWAGE_RETURN_IF_ERROR(SetArgument(step.kernel, i + 1,
                                        launch.parameters.size(),
                                        launch.parameters.data()));
  }
  steps_.push_back(std::move(step));
  return absl::OkStatus();
}

// Plans the memory of the tensors inside the partition. Task i of the plan is
// step i. A tensor that no step reads is live only while it is written.
absl::Status PartitionKernel::PlaceInside() {
  std::vector<TensorUsageRecord<size_t>> records;
  std::vector<size_t> record_of(slots_.size(), kAbsent);
  for (size_t i = 0; i < steps_.size(); ++i) {
    for (const size_t slot : steps_[i].reads) {
      if (slot == kAbsent || record_of[slot] == kAbsent) continue;
      records[record_of[slot]].last_task = i;
    }
    const size_t written = steps_[i].writes;
    if (slots_[written].place != Place::kInside) continue;
    record_of[written] = records.size();
    records.emplace_back(slots_[written].bytes, i, i);
  }
  STOWAGE_ASSIGN_OR_RETURN(
      const DevicePlan plan,
      PlanDeviceMemory(records, state_->device->limits(), options_.layout));
  layout_ = plan.layout;
  reservation_ = state_->inside.Reserve(plan.buffers);
  for (size_t s = 0; s < slots_.size(); ++s) {
    if (record_of[s] != kAbsent) slots_[s].part = plan.tensors[record_of[s]];
  }
  return absl::OkStatus();
}

// Points the slots inside the partition to the shared buffers. This must be
// repeated whenever the shared buffers have been replaced because another
// partition needed larger ones.
absl::Status PartitionKernel::BindInside() {
  if (bound_ == state_->inside.generation()) return absl::OkStatus();
  STOWAGE_RETURN_IF_ERROR(state_->inside.Allocate());
  for (Slot& slot : slots_) {
    if (slot.place != Place::kInside) continue;
    cl_mem parent = state_->inside.buffer(slot.part.buffer);
    slot.buffer = parent;
    if (layout_ == DeviceLayout::kBuffers) continue;
    const cl_buffer_region region = {slot.part.offset, slot.part.size};
    cl_int code = CL_SUCCESS;
    slot.owned = OwnedBuffer(clCreateSubBuffer(parent, CL_MEM_READ_WRITE,
                                               CL_BUFFER_CREATE_TYPE_REGION,
                                               &region, &code));
    STOWAGE_RETURN_IF_ERROR(
        CheckCall(absl::StrCat("clCreateSubBuffer of ", region.size,
                               " bytes at ", region.origin),
                  code));
    slot.buffer = slot.owned.get();
  }
  bound_ = state_->inside.generation();
  return absl::OkStatus();
}

// Allocates the memory of all partitions at the first call. By then all
// partitions have been created and have reserved their memory, because no
// partition is prepared before that.
absl::Status PartitionKernel::Prepare(PartitionContext& context) {
  STOWAGE_RETURN_IF_ERROR(state_->inside.Allocate());
  STOWAGE_RETURN_IF_ERROR(BindInside());
  if (!options_.has_handles) return absl::OkStatus();
  for (const Slot& slot : slots_) {
    if (slot.place != Place::kInput && slot.place != Place::kOutput) {
      continue;
    }
    STOWAGE_RETURN_IF_ERROR(NewHandle(context, slot));
  }
  return absl::OkStatus();
}

// Gives the tensor a buffer with a handle, unless it already has a buffer of
// the right size or another delegate has already given it one.
absl::Status PartitionKernel::NewHandle(PartitionContext& context,
                                        const Slot& slot) const {
  const int old = context.buffer_handle(slot.tensor);
  if (old >= 0 && state_->outside.BytesOf(old) == slot.bytes) {
    return absl::OkStatus();
  }
  STOWAGE_ASSIGN_OR_RETURN(const int handle, state_->outside.New(slot.bytes));
  absl::Status status = context.SetBufferHandle(slot.tensor, handle);
  if (status.ok()) return status;
  state_->outside.Free(handle);
  return absl::IsFailedPrecondition(status) ? absl::OkStatus() : status;
}

absl::Status PartitionKernel::Invoke(PartitionContext& context) {
  absl::Status status = Bind(context);
  for (const Step& step : steps_) {
    if (status.ok()) status = Enqueue(step);
  }
  for (const Slot& slot : slots_) {
    if (status.ok() && slot.place == Place::kOutput) {
      status = PassOn(context, slot);
    }
  }
  // The device may access the memory of the interpreter until clFinish returns,
  // so clFinish is called even after an error.
  status.Update(CheckCall("clFinish", clFinish(state_->device->queue())));
  for (Slot& slot : slots_) {
    if (slot.place != Place::kInput && slot.place != Place::kOutput) {
      continue;
    }
    slot.buffer = nullptr;
    slot.owned = OwnedBuffer();
  }
  return status;
}

absl::Status PartitionKernel::Bind(PartitionContext& context) {
  STOWAGE_RETURN_IF_ERROR(BindInside());
  for (Slot& slot : slots_) {
    if (slot.place == Place::kInside) continue;
    STOWAGE_RETURN_IF_ERROR(BindOutside(context, slot));
  }
  return absl::OkStatus();
}

absl::Status PartitionKernel::BindOutside(PartitionContext& context,
                                          Slot& slot) {
  const int handle = context.buffer_handle(slot.tensor);
  if (slot.place != Place::kConstant && handle >= 0) {
    slot.buffer = state_->outside.Get(handle);
    if (slot.place == Place::kOutput || context.is_stale(slot.tensor)) {
      return absl::OkStatus();
    }
    return context.CopyToBuffer(slot.tensor);
  }
  void* data = nullptr;
  if (slot.place == Place::kOutput) {
    STOWAGE_ASSIGN_OR_RETURN(const Tensor* tensor, context.Write(slot.tensor));
    data = tensor->data;
  } else {
    STOWAGE_ASSIGN_OR_RETURN(const Tensor* tensor, context.Read(slot.tensor));
    // The cast is safe because the buffer is CL_MEM_READ_ONLY, so the device
    // does not write to this memory.
    data = const_cast<void*>(static_cast<const void*>(tensor->data));
    // Two inputs that share memory must also share one buffer.
    for (const Slot& other : slots_) {
      if (&other == &slot) break;
      if (other.place != Place::kInput || other.owned.get() == nullptr) {
        continue;
      }
      if (other.data != data || other.bytes != slot.bytes) continue;
      slot.buffer = other.buffer;
      return absl::OkStatus();
    }
  }
  // Constants do not move in memory, so they keep their buffers from one run to
  // the next.
  if (slot.place == Place::kConstant && slot.owned.get() != nullptr &&
      slot.data == data) {
    return absl::OkStatus();
  }
  const cl_mem_flags access =
      slot.place == Place::kOutput ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
  STOWAGE_ASSIGN_OR_RETURN(
      slot.owned, state_->device->NewBuffer(access | CL_MEM_USE_HOST_PTR,
                                            slot.bytes, data));
  slot.data = data;
  slot.buffer = slot.owned.get();
  return absl::OkStatus();
}

absl::Status PartitionKernel::Enqueue(const Step& step) {
  if (step.kernel.get() != nullptr) return EnqueueKernel(step);
  const Slot& from = slots_[step.reads[0]];
  return CheckCall("clEnqueueCopyBuffer",
                   clEnqueueCopyBuffer(state_->device->queue(), from.buffer,
                                       slots_[step.writes].buffer, 0, 0,
                                       from.bytes, 0, nullptr, nullptr));
}

absl::Status PartitionKernel::EnqueueKernel(const Step& step) {
  for (size_t i = 0; i < step.reads.size(); ++i) {
    const size_t slot = step.reads[i];
    STOWAGE_RETURN_IF_ERROR(SetBuffer(
        step.kernel, i, slot == kAbsent ? nullptr : slots_[slot].buffer));
  }
  STOWAGE_RETURN_IF_ERROR(
      SetBuffer(step.kernel, step.output_argument, slots_[step.writes].buffer));
  const size_t items = (step.items + step.group - 1) / step.group * step.group;
  return CheckCall(absl::StrCat("clEnqueueNDRangeKernel of ", step.name),
                   clEnqueueNDRangeKernel(state_->device->queue(),
                                          step.kernel.get(), 1, nullptr, &items,
                                          &step.group, 0, nullptr, nullptr));
}

// Makes an output of the partition readable for the interpreter. If the output
// is in a buffer with a handle, marks the tensor as stale. Otherwise maps the
// buffer, after which the memory of the tensor holds the output.
absl::Status PartitionKernel::PassOn(PartitionContext& context,
                                     const Slot& slot) {
  if (slot.owned.get() == nullptr) return context.MarkStale(slot.tensor);
  cl_int code = CL_SUCCESS;
  void* const mapped = clEnqueueMapBuffer(state_->device->queue(), slot.buffer,
                                          CL_TRUE, CL_MAP_READ, 0, slot.bytes,
                                          0, nullptr, nullptr, &code);
  STOWAGE_RETURN_IF_ERROR(CheckCall("clEnqueueMapBuffer", code));
  return CheckCall("clEnqueueUnmapMemObject",
                   clEnqueueUnmapMemObject(state_->device->queue(), slot.buffer,
                                           mapped, 0, nullptr, nullptr));
}

std::vector<DelegateMemory> PartitionKernel::Memory() const {
  return {{"device tables", table_bytes_}};
}

}  // namespace stowage::harness::opencl
