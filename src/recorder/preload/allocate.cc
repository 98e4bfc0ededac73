// SPDX-License-Identifier: Apache-2.0
// The functions of the C library that allocate, each with a log of its calls.
// The operators new and delete of C++ call them.
//
// A free is logged before the memory is freed, and an allocation after it was
// made. In the other order, another thread could allocate the same memory and
// log that first.
#include <malloc.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "src/recorder/preload/glibc_malloc.h"
#include "src/recorder/preload/process_log.h"
#include "stowage/recordings/log_format.h"

namespace stowage::preload {
namespace {

using log_format::Event;
using log_format::EventKind;

uint64_t AddressOf(const void* block) {
  return reinterpret_cast<uintptr_t>(block);
}

void* LogAlloc(void* block, size_t size) {
  if (block == nullptr) return nullptr;
  Event event;
  event.kind = EventKind::kAlloc;
  event.id = AddressOf(block);
  event.size = size;
  Log(event);
  return block;
}

void* LogAligned(void* block, size_t size, size_t alignment) {
  if (block == nullptr) return nullptr;
  Event event;
  event.kind = EventKind::kAllocWith;
  event.id = AddressOf(block);
  event.size = size;
  // glibc rounds an alignment up to a power of two, and up to its smallest.
  while (event.alignment_log2 < 63 &&
         (size_t{1} << event.alignment_log2) < alignment) {
    ++event.alignment_log2;
  }
  if (event.alignment_log2 <= 4) event.kind = EventKind::kAlloc;
  Log(event);
  return block;
}

uint64_t LogFree(const void* block) {
  Event event;
  event.kind = EventKind::kFree;
  event.id = AddressOf(block);
  return Log(event);
}

void CancelFree(const void* block, uint64_t free_number) {
  if (free_number == 0) return;
  Event event;
  event.kind = EventKind::kCancel;
  event.id = AddressOf(block);
  event.cancelled = free_number;
  Log(event);
}

void* Reallocate(void* block, size_t size) {
  if (block == nullptr) return LogAlloc(__libc_malloc(size), size);
  const uint64_t free_number = LogFree(block);
  void* const moved = __libc_realloc(block, size);
  // A size of 0 frees the block and returns null.
  if (moved == nullptr && size != 0) CancelFree(block, free_number);
  return LogAlloc(moved, size);
}

size_t PageBytes() { return static_cast<size_t>(getpagesize()); }

}  // namespace
}  // namespace stowage::preload

// glibc has names of its own for the parameters.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
STOWAGE_INTERPOSED void* malloc(size_t size) noexcept {
  return stowage::preload::LogAlloc(__libc_malloc(size), size);
}

STOWAGE_INTERPOSED void* calloc(size_t count, size_t size) noexcept {
  // If the product overflows, so that it is wrong, no block is returned.
  return stowage::preload::LogAlloc(__libc_calloc(count, size), count * size);
}

STOWAGE_INTERPOSED void* realloc(void* block, size_t size) noexcept {
  return stowage::preload::Reallocate(block, size);
}

STOWAGE_INTERPOSED void* reallocarray(void* block, size_t count,
                                      size_t size) noexcept {
  size_t bytes = 0;
  if (stowage::preload::ArrayOverflows(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return stowage::preload::Reallocate(block, bytes);
}

STOWAGE_INTERPOSED void free(void* block) noexcept {
  if (block == nullptr) return;
  stowage::preload::LogFree(block);
  __libc_free(block);
}

STOWAGE_INTERPOSED void* memalign(size_t alignment, size_t size) noexcept {
  return stowage::preload::LogAligned(__libc_memalign(alignment, size), size,
                                      alignment);
}

STOWAGE_INTERPOSED void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return stowage::preload::LogAligned(__libc_memalign(alignment, size), size,
                                      alignment);
}

STOWAGE_INTERPOSED int posix_memalign(void** block, size_t alignment,
                                      size_t size) noexcept {
  if (!stowage::preload::IsPosixAlignment(alignment)) return EINVAL;
  const int error = errno;
  void* const aligned = __libc_memalign(alignment, size);
  errno = error;
  if (aligned == nullptr) return ENOMEM;
  *block = stowage::preload::LogAligned(aligned, size, alignment);
  return 0;
}

STOWAGE_INTERPOSED void* valloc(size_t size) noexcept {
  return stowage::preload::LogAligned(__libc_valloc(size), size,
                                      stowage::preload::PageBytes());
}

STOWAGE_INTERPOSED void* pvalloc(size_t size) noexcept {
  // The block has whole pages.
  const size_t page = stowage::preload::PageBytes();
  return stowage::preload::LogAligned(__libc_pvalloc(size),
                                      (size + page - 1) / page * page, page);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
