// SPDX-License-Identifier: Apache-2.0
// Replaces the allocation functions of the C library, and logs their calls. The
// operators new and delete of C++ call these functions.
//
// A free is logged before the memory is freed, and an allocation is logged
// after the memory has been allocated. Otherwise another thread could reuse
// freed memory and log its allocation before the free is logged.
#include <malloc.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "src/recorder/preload/glibc_malloc.h"
#include "src/recorder/preload/process_log.h"
#include "src/recorder/preload/touches.h"
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
  // glibc rounds an alignment up to a power of two, and at least to its minimum
  // alignment.
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

// Returns the number that the malloc_usable_size function of glibc would
// return. That function cannot be called, because this library replaces it and
// glibc has no second name for it. The word before each block is a size, with
// flags in the three lowest bits. The usable size is two words less than this
// size for a block that has its own pages (bit 1), and one word less for any
// other block (source: malloc/malloc.c of glibc).
size_t UsableBytesOfGlibc(const void* block) {
  size_t word = 0;
  memcpy(&word, static_cast<const char*>(block) - sizeof(word), sizeof(word));
  const size_t words_lost = (word & 2) != 0 ? 2 : 1;
  return (word & ~size_t{7}) - words_lost * sizeof(word);
}

void* Allocate(size_t size) {
  if (IsWatchedSize(size)) {
    void* const watched = MapWatched(size, 1);
    if (watched != nullptr) return LogAlloc(watched, size);
  }
  return LogAlloc(__libc_malloc(size), size);
}

void* AllocateZeroed(size_t count, size_t size) {
  size_t bytes = 0;
  if (!ArrayOverflows(count, size, &bytes) && IsWatchedSize(bytes)) {
    void* const watched = MapWatched(bytes, 1);
    if (watched != nullptr) {
      LogAlloc(watched, bytes);
      TouchWatched(watched);  // the program relies on the zeros
      return watched;
    }
  }
  // If the product overflows, `bytes` is wrong, but calloc then fails, so no
  // allocation is logged.
  return LogAlloc(__libc_calloc(count, size), bytes);
}

void* AllocateAligned(size_t size, size_t alignment) {
  if (IsWatchedSize(size) && (alignment & (alignment - 1)) == 0) {
    void* const watched = MapWatched(size, alignment);
    if (watched != nullptr) return LogAligned(watched, size, alignment);
  }
  return LogAligned(__libc_memalign(alignment, size), size, alignment);
}

void Free(void* block) {
  if (!IsWatched(block)) {
    LogFree(block);
    __libc_free(block);
    return;
  }
  CloseOtherBlocks(block);
  LogFree(block);
  UnmapWatched(block);
}

// Moves a watched block, with its contents, to a block of a different size.
void* ReallocateWatched(void* block, size_t size) {
  TouchWatched(block);
  CloseOtherBlocks(block);
  const size_t bytes = WatchedBytes(block);
  const uint64_t free_number = LogFree(block);
  if (size == 0) {
    UnmapWatched(block);
    return nullptr;
  }
  void* moved = size >= kTouchPage ? RemapWatched(block, size) : nullptr;
  if (moved != nullptr) {
    LogAlloc(moved, size);
    LogTouched(moved);
    return moved;
  }
  moved = __libc_malloc(size);
  if (moved == nullptr) {
    CancelFree(block, free_number);
    return nullptr;
  }
  memcpy(moved, block, bytes < size ? bytes : size);
  UnmapWatched(block);
  return LogAlloc(moved, size);
}

// Moves a block of glibc, with its contents, to a watched block. Returns null
// if the watched block cannot be created.
void* MoveToWatched(void* block, size_t size) {
  void* const watched = MapWatched(size, 1);
  if (watched == nullptr) return nullptr;
  LogFree(block);
  LogAlloc(watched, size);
  TouchWatched(watched);
  // Copy all usable bytes of the block, because the program may have used more
  // bytes than it requested.
  const size_t bytes = UsableBytesOfGlibc(block);
  memcpy(watched, block, bytes < size ? bytes : size);
  __libc_free(block);
  return watched;
}

void* Reallocate(void* block, size_t size) {
  if (block == nullptr) return Allocate(size);
  if (IsWatched(block)) return ReallocateWatched(block, size);
  if (IsWatchedSize(size)) {
    void* const watched = MoveToWatched(block, size);
    if (watched != nullptr) return watched;
  }
  const uint64_t free_number = LogFree(block);
  void* const moved = __libc_realloc(block, size);
  // If the size is 0, glibc frees the block and returns null, so the free is
  // valid.
  if (moved == nullptr && size != 0) CancelFree(block, free_number);
  return LogAlloc(moved, size);
}

size_t PageBytes() { return static_cast<size_t>(getpagesize()); }

}  // namespace
}  // namespace stowage::preload

// The parameter names differ from those in the declarations of glibc.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
STOWAGE_INTERPOSED void* malloc(size_t size) noexcept {
  return stowage::preload::Allocate(size);
}

STOWAGE_INTERPOSED void* calloc(size_t count, size_t size) noexcept {
  return stowage::preload::AllocateZeroed(count, size);
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
  stowage::preload::Free(block);
}

STOWAGE_INTERPOSED void* memalign(size_t alignment, size_t size) noexcept {
  return stowage::preload::AllocateAligned(size, alignment);
}

STOWAGE_INTERPOSED void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return stowage::preload::AllocateAligned(size, alignment);
}

STOWAGE_INTERPOSED int posix_memalign(void** block, size_t alignment,
                                      size_t size) noexcept {
  if (!stowage::preload::IsPosixAlignment(alignment)) return EINVAL;
  const int error = errno;
  void* const aligned = stowage::preload::AllocateAligned(size, alignment);
  errno = error;
  if (aligned == nullptr) return ENOMEM;
  *block = aligned;
  return 0;
}

STOWAGE_INTERPOSED void* valloc(size_t size) noexcept {
  return stowage::preload::AllocateAligned(size, stowage::preload::PageBytes());
}

STOWAGE_INTERPOSED void* pvalloc(size_t size) noexcept {
  // The size of the block is rounded up to whole pages.
  const size_t page = stowage::preload::PageBytes();
  if (size > SIZE_MAX - page) {
    errno = ENOMEM;
    return nullptr;
  }
  return stowage::preload::AllocateAligned((size + page - 1) / page * page,
                                           page);
}

STOWAGE_INTERPOSED size_t malloc_usable_size(void* block) noexcept {
  if (block == nullptr) return 0;
  const size_t bytes = stowage::preload::IsWatched(block)
                           ? stowage::preload::WatchedBytes(block)
                           : 0;
  return bytes != 0 ? bytes : stowage::preload::UsableBytesOfGlibc(block);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
