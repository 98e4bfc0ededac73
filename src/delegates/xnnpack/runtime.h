// SPDX-License-Identifier: Apache-2.0
// Manages the XNNPACK library: initializes it once, counts the memory that it
// allocates, and owns its objects.
#ifndef STOWAGE_SRC_DELEGATES_XNNPACK_RUNTIME_H_
#define STOWAGE_SRC_DELEGATES_XNNPACK_RUNTIME_H_

#include <pthreadpool.h>
#include <xnnpack.h>

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stowage::harness::xnnpack {

// Initializes XNNPACK for the whole process; further calls do nothing. Error:
// Unavailable if XNNPACK does not support this processor.
absl::Status Initialize();

// Converts the status of a call of XNNPACK: returns OK for success, and
// otherwise Internal with the status that XNNPACK returned.
absl::Status StatusOf(absl::string_view call, xnn_status status);

struct OperatorDeleter {
  void operator()(xnn_operator_t op) const { xnn_delete_operator(op); }
};
using OperatorHandle = std::unique_ptr<xnn_operator, OperatorDeleter>;

struct PoolDeleter {
  void operator()(pthreadpool_t pool) const { pthreadpool_destroy(pool); }
};
using PoolHandle = std::unique_ptr<pthreadpool, PoolDeleter>;

// Counts the bytes that XNNPACK allocates on this thread between the
// construction of this object and the call of bytes(). Freed bytes are not
// subtracted; XNNPACK frees none in the calls that are measured. The count is 0
// if another part of the process has initialized XNNPACK with a different
// allocator.
class AllocationCount {
 public:
  AllocationCount();
  size_t bytes() const;

 private:
  size_t before_;
};

}  // namespace stowage::harness::xnnpack

#endif  // STOWAGE_SRC_DELEGATES_XNNPACK_RUNTIME_H_
