// SPDX-License-Identifier: Apache-2.0
// Manages the memory of a graph that is not in its arenas: the buffers of
// delegates, and memory that the caller provides.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/harness/delegated_node.h"
#include "src/harness/graph_session.h"
#include "src/harness/memory.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

absl::Status GraphSession::AtTensor(size_t tensor,
                                    const absl::Status& status) const {
  if (status.ok()) return status;
  return WithTensor(
      AtPlace(absl::StrCat(graph_.Place(), ", ", spec().TensorPlace(tensor)),
              status),
      tensor);
}

absl::Status GraphSession::CheckTensor(size_t tensor) const {
  if (tensor < spec().tensors.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      graph_.Place(), ": tensor ", tensor, ": no such tensor; expected an ",
      "index below ", spec().tensors.size()));
}

// Makes the inputs of the task readable: copies an input to its memory if only
// the buffer of another delegate has its content.
absl::Status GraphSession::MakeInputsReadable(size_t task) {
  const DelegatedNode* const node = graph_.NodeOf(task).delegated.get();
  DelegateBuffers& buffers = graph_.buffers();
  for (const size_t t : graph_.SpecOf(task).inputs) {
    if (t == kAbsent || !buffers.IsStale(t) ||
        (node != nullptr && buffers.HandleOf(t, node->delegate) >= 0)) {
      continue;
    }
    const absl::Status status = buffers.EnsureReadable(t, &graph_.tensors()[t]);
    if (status.ok()) continue;
    failed_delegate_ = buffers.OwnerOf(t);
    return graph_.At(task,
                     WithTensor(AtPlace(spec().TensorPlace(t), status), t));
  }
  return absl::OkStatus();
}

void GraphSession::MarkWritten(size_t task) {
  for (const size_t t : graph_.SpecOf(task).outputs) {
    if (t != kAbsent) graph_.buffers().MarkWritten(t);
  }
}

// Makes tensors of the graph readable: copies a tensor to its memory if only a
// buffer has its content.
absl::Status GraphSession::MakeReadable(absl::Span<const size_t> tensors) {
  if (!graph_.buffers().any()) return absl::OkStatus();
  for (const size_t t : tensors) {
    const absl::Status status =
        graph_.buffers().EnsureReadable(t, &graph_.tensors()[t]);
    if (status.ok()) continue;
    failed_delegate_ = graph_.buffers().OwnerOf(t);
    return AtTensor(t, status);
  }
  return absl::OkStatus();
}

// Returns whether another tensor may have overwritten the tensor since it was
// computed.
bool GraphSession::MayBeOverwritten(size_t tensor) const {
  return !shared_->options.preserve_all_tensors &&
         graph_.tensors()[tensor].storage == Storage::kArena &&
         !absl::c_linear_search(spec().outputs, tensor) &&
         !(shared_->options.io_lifetime.value_or(DefaultIoLifetime(
               shared_->options.lifetimes)) == IoLifetime::kKeep &&
           absl::c_linear_search(spec().inputs, tensor));
}

absl::Status GraphSession::EnsureReadable(size_t index) {
  absl::Status status = CheckNotRunning();
  if (status.ok()) status = CheckTensor(index);
  if (!status.ok()) return status;
  const std::string inside = graph_.InsideOf(index);
  const bool is_preserved = shared_->options.preserve_all_tensors &&
                            graph_.tensors()[index].data != nullptr;
  if (!inside.empty() && !is_preserved) {
    return AtTensor(index, absl::FailedPreconditionError(absl::StrCat(
                               inside,
                               "; expected a tensor that it reads or writes, "
                               "or preserve_all_tensors")));
  }
  Tensor& described = graph_.tensors()[index];
  if (described.data == nullptr && described.bytes > 0) {
    return AtTensor(index,
                    absl::FailedPreconditionError(
                        "no data; expected a tensor that has memory after "
                        "Allocate"));
  }
  if (MayBeOverwritten(index)) {
    return AtTensor(index, absl::FailedPreconditionError(
                               "its memory is another tensor's by now; "
                               "expected an input or output of the graph, or "
                               "preserve_all_tensors"));
  }
  return AtTensor(index, graph_.buffers().EnsureReadable(index, &described));
}

absl::Status GraphSession::SetBufferHandle(size_t tensor,
                                           const Delegate* delegate,
                                           int handle) {
  absl::Status status = CheckNotRunning();
  if (status.ok()) status = CheckTensor(tensor);
  if (!status.ok()) return status;
  const auto owner = absl::c_find_if(applied_, [&](const Applied& applied) {
    return applied.delegate.get() == delegate;
  });
  if (owner == applied_.end()) {
    return AtTensor(tensor, absl::FailedPreconditionError(
                                "a buffer of a delegate that is not applied; "
                                "expected one that is"));
  }
  return AtTensor(tensor,
                  graph_.buffers().Set(tensor, owner->delegate.get(), handle));
}

absl::Status GraphSession::SetCustomAllocation(size_t index,
                                               absl::Span<uint8_t> memory,
                                               bool check_alignment) {
  absl::Status status = CheckNotRunning();
  if (status.ok()) status = CheckTensor(index);
  if (!status.ok()) return status;
  const Storage storage = tensor(index).storage;
  if (storage != Storage::kArena && storage != Storage::kPersistent &&
      storage != Storage::kCustom) {
    return AtTensor(index, absl::InvalidArgumentError(
                               "memory of the caller's; expected a tensor that "
                               "has a place in an arena"));
  }
  if (memory.data() == nullptr) {
    return AtTensor(index, absl::InvalidArgumentError(
                               "memory of the caller's is null; expected an "
                               "address"));
  }
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  if (check_alignment && address % kBlockAlignment != 0) {
    return AtTensor(index,
                    absl::InvalidArgumentError(absl::StrCat(
                        "memory of the caller's is ", address % kBlockAlignment,
                        " bytes after a multiple of ", kBlockAlignment,
                        "; expected an address aligned to ", kBlockAlignment)));
  }
  if (storage == Storage::kCustom && is_allocated_) {
    is_custom_exchanged_ = true;
  } else {
    is_allocated_ = false;
    is_changed_ = true;
  }
  graph_.tensors().SetCustom(index, memory);
  return absl::OkStatus();
}

// Returns how many bytes after the end of the tensor must be readable for the
// delegates that read it.
size_t GraphSession::SpareBytesOf(size_t tensor) const {
  size_t bytes = 0;
  for (size_t task = 0; task < graph_.tasks().size(); ++task) {
    const DelegatedNode* const node = graph_.NodeOf(task).delegated.get();
    if (node == nullptr || node->info.spare_bytes <= bytes ||
        !absl::c_linear_search(graph_.SpecOf(task).inputs, tensor)) {
      continue;
    }
    bytes = node->info.spare_bytes;
  }
  return bytes;
}

// Returns a clause of a message with the shape and bytes that the model
// declares for a tensor, and the shape and bytes that were computed. Returns an
// empty text if the numbers of bytes are equal.
std::string GraphSession::DeclaredText(size_t index) const {
  const TensorSpec& declared = spec().tensors[index];
  const Tensor& computed = tensor(index);
  if (declared.bytes == computed.bytes) return "";
  return absl::StrCat(": the model declares ", ShapeText(declared.shape), ", ",
                      declared.bytes, " bytes, and the shape computed is ",
                      ShapeText(computed.shape), ", ", computed.bytes,
                      " bytes");
}

absl::Status GraphSession::CheckCustomAllocations() const {
  for (const auto& [index, memory] : graph_.tensors().custom()) {
    const size_t bytes = tensor(index).bytes;
    const size_t spare = SpareBytesOf(index);
    if (memory.size() >= bytes && memory.size() - bytes >= spare) continue;
    return AtTensor(
        index,
        absl::InvalidArgumentError(absl::StrCat(
            "memory of the caller's is ", memory.size(), " bytes; expected ",
            bytes,
            spare == 0 ? ""
                       : absl::StrCat(" and ", spare,
                                      " spare ones, which a delegate reads"),
            " at least", DeclaredText(index))));
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
