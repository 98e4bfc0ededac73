// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/xnnpack/runtime.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace stowage::harness::xnnpack {
namespace {

thread_local size_t allocated_bytes = 0;

void* Count(void* memory, size_t bytes) {
  if (memory != nullptr) allocated_bytes += bytes;
  return memory;
}

void* Allocate(void* /*context*/, size_t bytes) {
  return Count(std::malloc(bytes), bytes);
}

void* Reallocate(void* /*context*/, void* memory, size_t bytes) {
  return Count(std::realloc(memory, bytes), bytes);
}

void Deallocate(void* /*context*/, void* memory) { std::free(memory); }

void* AlignedAllocate(void* /*context*/, size_t alignment, size_t bytes) {
  void* memory = nullptr;
  // posix_memalign requires an alignment of at least sizeof(void*).
  const size_t aligned = alignment < sizeof(void*) ? sizeof(void*) : alignment;
  if (posix_memalign(&memory, aligned, bytes) != 0) return nullptr;
  return Count(memory, bytes);
}

absl::string_view NameOf(xnn_status status) {
  switch (status) {
    case xnn_status_success:
      return "success";
    case xnn_status_uninitialized:
      return "uninitialized";
    case xnn_status_invalid_parameter:
      return "invalid parameter";
    case xnn_status_invalid_state:
      return "invalid state";
    case xnn_status_unsupported_parameter:
      return "unsupported parameter";
    case xnn_status_unsupported_hardware:
      return "unsupported hardware";
    case xnn_status_out_of_memory:
      return "out of memory";
  }
  return "unknown status";
}

xnn_status InitializeOnce() {
  // XNNPACK copies the allocator, so a local variable is enough.
  const xnn_allocator allocator = {nullptr,    Allocate,        Reallocate,
                                   Deallocate, AlignedAllocate, Deallocate};
  return xnn_initialize(&allocator);
}

}  // namespace

absl::Status Initialize() {
  static const xnn_status status = InitializeOnce();
  if (status == xnn_status_success) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("XNNPACK does not start: ", NameOf(status),
                   "; expected a processor that it supports"));
}

absl::Status StatusOf(absl::string_view call, xnn_status status) {
  if (status == xnn_status_success) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(call, " in XNNPACK: ", NameOf(status),
                                          "; expected success"));
}

AllocationCount::AllocationCount() : before_(allocated_bytes) {}

size_t AllocationCount::bytes() const { return allocated_bytes - before_; }

}  // namespace stowage::harness::xnnpack
