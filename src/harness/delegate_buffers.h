// SPDX-License-Identifier: Apache-2.0
// The buffers of delegates that hold tensors of a graph: who owns them, and
// which tensors are stale, that is held by a buffer alone.
#ifndef STOWAGE_SRC_HARNESS_DELEGATE_BUFFERS_H_
#define STOWAGE_SRC_HARNESS_DELEGATE_BUFFERS_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// Errors do not name the tensor: callers do. Delegates must outlive this, or
// their buffers be freed before.
class DelegateBuffers {
 public:
  DelegateBuffers() = default;
  ~DelegateBuffers() { FreeAll(); }
  DelegateBuffers(const DelegateBuffers&) = delete;
  DelegateBuffers& operator=(const DelegateBuffers&) = delete;

  // See PartitionContext.
  absl::Status Set(size_t tensor, Delegate* delegate, int handle);
  absl::Status Free(size_t tensor, const Delegate* delegate);
  absl::Status MarkStale(size_t tensor, const Delegate* delegate);
  absl::Status CopyTo(size_t tensor, const Delegate* delegate,
                      const Tensor& content);
  int HandleOf(size_t tensor, const Delegate* delegate) const;

  bool IsStale(size_t tensor) const;
  bool any() const { return !buffers_.empty(); }
  // Null if no delegate has a buffer of the tensor.
  const Delegate* OwnerOf(size_t tensor) const;
  // The memory of the tensor is newer than the buffer.
  void MarkWritten(size_t tensor);
  // Copies a stale tensor to its memory. On errors, which are those of the
  // delegate, it stays stale; FailedPrecondition if its buffer was freed.
  absl::Status EnsureReadable(size_t index, Tensor* tensor);

  // No tensor is stale any more: what they held is lost.
  void ForgetContents();
  void FreeAllOf(const Delegate* delegate);
  void FreeAll();

  // Copies so far, of all tensors.
  BufferCopies CopiesOf(const Delegate* delegate) const;

 private:
  struct Buffer {
    Delegate* delegate = nullptr;
    int handle = -1;  // none, of a tensor whose buffer was freed
    bool is_stale = false;
    bool is_lost = false;  // stale, and the buffer that held it was freed
  };

  static void FreeHandle(Buffer* buffer);
  Buffer* FindOf(size_t tensor, const Delegate* delegate);
  // The tensor that has the buffer; null if none has.
  const size_t* TensorOf(const Delegate* delegate, int handle) const;

  std::map<size_t, Buffer> buffers_;
  std::map<const Delegate*, BufferCopies> copies_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_DELEGATE_BUFFERS_H_
