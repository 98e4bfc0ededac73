// SPDX-License-Identifier: Apache-2.0
// Makes memory allocations fail by replacing malloc. operator new fails as
// well, because it calls malloc.
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "tests/faults/faults.h"
#include "tests/faults/next_function.h"

namespace stowage::faults {
namespace {

std::atomic<int64_t> live_blocks{0};
// True while this thread starts another thread.
thread_local bool starts_thread = false;

bool IsOutOfMemory() {
  if (!Fails(Call::kMemory)) return false;
  errno = ENOMEM;
  return true;
}

void* Counted(void* memory) {
  if (memory != nullptr && !starts_thread) ++live_blocks;
  return memory;
}

}  // namespace

int64_t LiveBlocks() { return live_blocks; }

}  // namespace stowage::faults

using stowage::faults::Counted;
using stowage::faults::IsOutOfMemory;

// Declares the glibc functions that do the actual work of the functions below.
extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);

void* malloc(size_t size) noexcept {
  return IsOutOfMemory() ? nullptr : Counted(__libc_malloc(size));
}

void* calloc(size_t count, size_t size) noexcept {
  return IsOutOfMemory() ? nullptr : Counted(__libc_calloc(count, size));
}

void free(void* memory) noexcept {
  if (memory != nullptr) --stowage::faults::live_blocks;
  __libc_free(memory);
}

void* realloc(void* memory, size_t size) noexcept {
  if (memory == nullptr) return malloc(size);
  if (IsOutOfMemory()) return nullptr;
  void* const moved = __libc_realloc(memory, size);
  if (size == 0 && moved == nullptr) --stowage::faults::live_blocks;
  return moved;
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return IsOutOfMemory() ? nullptr : Counted(__libc_memalign(alignment, size));
}

int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  if (IsOutOfMemory()) return ENOMEM;
  *memory = Counted(__libc_memalign(alignment, size));
  return *memory == nullptr ? ENOMEM : 0;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*start)(void*), void* argument) noexcept {
  static auto* const next =
      stowage::faults::Next<int(pthread_t*, const pthread_attr_t*,
                                void* (*)(void*), void*)>("pthread_create");
  if (stowage::faults::Fails(stowage::faults::Call::kThread)) return EAGAIN;
  stowage::faults::starts_thread = true;
  const int error = next(thread, attributes, start, argument);
  stowage::faults::starts_thread = false;
  return error;
}

}  // extern "C"
