// SPDX-License-Identifier: Apache-2.0
// The buffers of delegates that hold tensors of a graph: their owners, and the
// tensors that are stale, which means that only a buffer holds their content.
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

// Errors do not name the tensor; callers do. Delegates must outlive this
// object, or their buffers must be freed before.
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
  // Returns null if no delegate has a buffer of the tensor.
  const Delegate* OwnerOf(size_t tensor) const;
  // Records that the memory of the tensor is newer than the buffer.
  void MarkWritten(size_t tensor);
  // Copies a stale tensor to its memory. On errors, which are those of the
  // delegate, it stays stale. Error: also FailedPrecondition if its buffer was
  // freed.
  absl::Status EnsureReadable(size_t index, Tensor* tensor);

  // Marks no tensor as stale; the contents of stale tensors are lost.
  void ForgetContents();
  void FreeAllOf(const Delegate* delegate);
  void FreeAll();

  // Returns the number of copies so far, over all tensors.
  BufferCopies CopiesOf(const Delegate* delegate) const;

 private:
  struct Buffer {
    Delegate* delegate = nullptr;
    int handle = -1;  // -1 if the buffer was freed
    bool is_stale = false;
    bool is_lost = false;  // stale, and its buffer was freed
  };

  static void FreeHandle(Buffer* buffer);
  Buffer* FindOf(size_t tensor, const Delegate* delegate);
  // Returns the tensor that has the buffer; null if none has.
  const size_t* TensorOf(const Delegate* delegate, int handle) const;

  std::map<size_t, Buffer> buffers_;
  std::map<const Delegate*, BufferCopies> copies_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_DELEGATE_BUFFERS_H_
