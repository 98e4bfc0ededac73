// SPDX-License-Identifier: Apache-2.0
// The XNNPACK library as a resource: initialized once, its memory counted, its
// objects owned.
#ifndef STOWAGE_SRC_DELEGATES_XNNPACK_RUNTIME_H_
#define STOWAGE_SRC_DELEGATES_XNNPACK_RUNTIME_H_

#include <pthreadpool.h>
#include <xnnpack.h>

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stowage::harness::xnnpack {

// Initializes the library for the whole process; later calls do nothing. Error:
// Unavailable if it does not run on this processor.
absl::Status Initialize();

// Internal with what the library reports of a call; OK if that is success.
absl::Status StatusOf(absl::string_view call, xnn_status status);

struct OperatorDeleter {
  void operator()(xnn_operator_t op) const { xnn_delete_operator(op); }
};
using OperatorHandle = std::unique_ptr<xnn_operator, OperatorDeleter>;

struct PoolDeleter {
  void operator()(pthreadpool_t pool) const { pthreadpool_destroy(pool); }
};
using PoolHandle = std::unique_ptr<pthreadpool, PoolDeleter>;

// Counts the bytes that the library allocates on this thread between its
// construction and bytes(). What it frees meanwhile is not subtracted: in the
// calls that this is for it frees nothing. 0 if someone else has initialized
// the library in this process, with memory of their own.
class AllocationCount {
 public:
  AllocationCount();
  size_t bytes() const;

 private:
  size_t before_;
};

}  // namespace stowage::harness::xnnpack

#endif  // STOWAGE_SRC_DELEGATES_XNNPACK_RUNTIME_H_
