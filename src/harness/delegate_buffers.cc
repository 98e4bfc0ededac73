// SPDX-License-Identifier: Apache-2.0
#include "src/harness/delegate_buffers.h"

#include <cstddef>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/harness/call_delegate.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

absl::Status LostBuffer() {
  return absl::FailedPreconditionError(
      "stale, and the buffer that held it was freed; expected a buffer");
}

absl::Status NoBuffer() {
  return absl::FailedPreconditionError(
      "no buffer of the delegate; expected one, set by SetBufferHandle");
}

}  // namespace

absl::Status DelegateBuffers::Set(size_t tensor, Delegate* delegate,
                                  int handle) {
  if (handle < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "buffer handle ", handle, "; expected a number of at least 0"));
  }
  // A handle that two tensors share is refused, because it would be freed
  // twice.
  const size_t* const other = TensorOf(delegate, handle);
  if (other != nullptr && *other != tensor) {
    return absl::InvalidArgumentError(
        absl::StrCat("buffer handle ", handle, ", which tensor ", *other,
                     " has; expected one of its own"));
  }
  Buffer& buffer = buffers_[tensor];
  if (buffer.handle >= 0 && buffer.delegate != delegate) {
    return absl::FailedPreconditionError(absl::StrCat(
        "it has a buffer of delegate ", DelegateName(*buffer.delegate),
        "; expected none, or one of the same delegate"));
  }
  // A stale tensor stays stale, because the delegate has put the contents of
  // the tensor into the new buffer.
  if (buffer.handle != handle) FreeHandle(&buffer);
  buffer.delegate = delegate;
  buffer.handle = handle;
  return absl::OkStatus();
}

const size_t* DelegateBuffers::TensorOf(const Delegate* delegate,
                                        int handle) const {
  for (const auto& [tensor, buffer] : buffers_) {
    if (buffer.delegate == delegate && buffer.handle == handle) return &tensor;
  }
  return nullptr;
}

DelegateBuffers::Buffer* DelegateBuffers::FindOf(size_t tensor,
                                                 const Delegate* delegate) {
  const auto found = buffers_.find(tensor);
  if (found == buffers_.end() || found->second.handle < 0 ||
      found->second.delegate != delegate) {
    return nullptr;
  }
  return &found->second;
}

absl::Status DelegateBuffers::Free(size_t tensor, const Delegate* delegate) {
  Buffer* const buffer = FindOf(tensor, delegate);
  if (buffer == nullptr) return NoBuffer();
  FreeHandle(buffer);
  // If only the buffer held the contents of the tensor, they are lost, and
  // reading the tensor is an error from now on.
  buffer->is_lost = buffer->is_stale;
  if (!buffer->is_stale) buffers_.erase(tensor);
  return absl::OkStatus();
}

absl::Status DelegateBuffers::MarkStale(size_t tensor,
                                        const Delegate* delegate) {
  Buffer* const buffer = FindOf(tensor, delegate);
  if (buffer == nullptr) return NoBuffer();
  buffer->is_stale = true;
  buffer->is_lost = false;
  return absl::OkStatus();
}

absl::Status DelegateBuffers::CopyTo(size_t tensor, const Delegate* delegate,
                                     const Tensor& content) {
  Buffer* const buffer = FindOf(tensor, delegate);
  if (buffer == nullptr) return NoBuffer();
  if (buffer->is_lost) return LostBuffer();
  if (buffer->is_stale) return absl::OkStatus();
  absl::Status status = CallGuarded("CopyToBuffer", [&] {
    return buffer->delegate->CopyToBuffer(buffer->handle, content);
  });
  if (status.ok()) ++copies_[delegate].to_buffers;
  return status;
}

int DelegateBuffers::HandleOf(size_t tensor, const Delegate* delegate) const {
  const auto found = buffers_.find(tensor);
  return found == buffers_.end() || found->second.delegate != delegate
             ? -1
             : found->second.handle;
}

bool DelegateBuffers::IsStale(size_t tensor) const {
  const auto found = buffers_.find(tensor);
  return found != buffers_.end() && found->second.is_stale;
}

const Delegate* DelegateBuffers::OwnerOf(size_t tensor) const {
  const auto found = buffers_.find(tensor);
  return found == buffers_.end() ? nullptr : found->second.delegate;
}

void DelegateBuffers::MarkWritten(size_t tensor) {
  const auto found = buffers_.find(tensor);
  if (found == buffers_.end()) return;
  found->second.is_stale = false;
  found->second.is_lost = false;
  if (found->second.handle < 0) buffers_.erase(found);
}

absl::Status DelegateBuffers::EnsureReadable(size_t index, Tensor* tensor) {
  const auto found = buffers_.find(index);
  if (found == buffers_.end() || !found->second.is_stale) {
    return absl::OkStatus();
  }
  Buffer& buffer = found->second;
  if (buffer.is_lost) {
    return LostBuffer();
  }
  const absl::Status status = CallGuarded("CopyFromBuffer", [&] {
    return buffer.delegate->CopyFromBuffer(buffer.handle, tensor);
  });
  if (!status.ok()) {
    return WithDelegate(status, DelegateName(*buffer.delegate));
  }
  ++copies_[buffer.delegate].from_buffers;
  buffer.is_stale = false;
  return absl::OkStatus();
}

void DelegateBuffers::FreeHandle(Buffer* buffer) {
  if (buffer->handle < 0) return;
  const int handle = buffer->handle;
  buffer->handle = -1;
  // FreeBuffer may throw. The exception is ignored, because no caller could
  // handle it.
  CallGuarded("FreeBuffer", [&] {
    buffer->delegate->FreeBuffer(handle);
    return absl::OkStatus();
  }).IgnoreError();
}

void DelegateBuffers::ForgetContents() {
  for (auto i = buffers_.begin(); i != buffers_.end();) {
    i->second.is_stale = false;
    i->second.is_lost = false;
    i = i->second.handle < 0 ? buffers_.erase(i) : std::next(i);
  }
}

void DelegateBuffers::FreeAllOf(const Delegate* delegate) {
  for (auto i = buffers_.begin(); i != buffers_.end();) {
    if (i->second.delegate == delegate) {
      FreeHandle(&i->second);
      i = buffers_.erase(i);
    } else {
      ++i;
    }
  }
  copies_.erase(delegate);
}

void DelegateBuffers::FreeAll() {
  for (auto& [tensor, buffer] : buffers_) FreeHandle(&buffer);
  buffers_.clear();
  copies_.clear();
}

BufferCopies DelegateBuffers::CopiesOf(const Delegate* delegate) const {
  const auto found = copies_.find(delegate);
  return found == copies_.end() ? BufferCopies() : found->second;
}

}  // namespace stowage::harness
