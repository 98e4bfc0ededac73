// SPDX-License-Identifier: Apache-2.0
// Keeps track of the buffers in which delegates hold tensors of a graph: which
// delegate owns each buffer, and which tensors are stale. A tensor is stale if
// only its buffer, and not its memory, has its current contents.
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

// The buffers of the tensors of one graph. Error messages do not contain the
// name of the tensor; callers add it. All buffers of a delegate must be freed
// before the delegate is destroyed. The destructor of this class frees all
// remaining buffers.
class DelegateBuffers {
 public:
  DelegateBuffers() = default;
  ~DelegateBuffers() { FreeAll(); }
  DelegateBuffers(const DelegateBuffers&) = delete;
  DelegateBuffers& operator=(const DelegateBuffers&) = delete;

  // Set, Free and MarkStale implement SetBufferHandle, FreeBufferHandle and
  // MarkStale of PartitionContext.
  absl::Status Set(size_t tensor, Delegate* delegate, int handle);
  absl::Status Free(size_t tensor, const Delegate* delegate);
  absl::Status MarkStale(size_t tensor, const Delegate* delegate);
  absl::Status CopyTo(size_t tensor, const Delegate* delegate,
                      const Tensor& content);
  int HandleOf(size_t tensor, const Delegate* delegate) const;

  bool IsStale(size_t tensor) const;
  bool any() const { return !buffers_.empty(); }
  // Returns the delegate that has a buffer of the tensor, or null if there is
  // none.
  const Delegate* OwnerOf(size_t tensor) const;
  // Records that the tensor was written to its memory, which makes the contents
  // of its buffer outdated.
  void MarkWritten(size_t tensor);
  // Copies the contents of a stale tensor from its buffer to its memory. If the
  // copy fails, the tensor stays stale. Errors: those of the delegate;
  // FailedPrecondition if the buffer of the tensor was freed.
  absl::Status EnsureReadable(size_t index, Tensor* tensor);

  // Marks all tensors as not stale. The contents of tensors that were stale are
  // lost.
  void ForgetContents();
  void FreeAllOf(const Delegate* delegate);
  void FreeAll();

  // Returns how many copies to and from the buffers of this delegate were made,
  // summed over all tensors.
  BufferCopies CopiesOf(const Delegate* delegate) const;

 private:
  struct Buffer {
    Delegate* delegate = nullptr;
    int handle = -1;  // is -1 if the buffer was freed
    bool is_stale = false;
    // True if the buffer was freed while the tensor was stale.
    bool is_lost = false;
  };

  static void FreeHandle(Buffer* buffer);
  Buffer* FindOf(size_t tensor, const Delegate* delegate);
  // Returns the tensor whose buffer has this handle, or null if there is none.
  const size_t* TensorOf(const Delegate* delegate, int handle) const;

  std::map<size_t, Buffer> buffers_;
  std::map<const Delegate*, BufferCopies> copies_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_DELEGATE_BUFFERS_H_
