// Memory that runs out: malloc, which operator new calls too.
#include <cerrno>
#include <cstddef>

#include "tests/faults/faults.h"

namespace {

using stowage::faults::Call;
using stowage::faults::Fails;

bool IsOutOfMemory() {
  if (!Fails(Call::kMemory)) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

// What glibc's own functions are called underneath.
extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) noexcept {
  return IsOutOfMemory() ? nullptr : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) noexcept {
  return IsOutOfMemory() ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) noexcept {
  return IsOutOfMemory() ? nullptr : __libc_realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return IsOutOfMemory() ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  if (IsOutOfMemory()) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

}  // extern "C"
