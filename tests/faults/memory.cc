// Memory that runs out. Under the address sanitizer, whose malloc must stay,
// only operator new does; else malloc, which operator new calls.
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

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

#ifdef __SANITIZE_ADDRESS__

namespace {

void* Allocate(size_t size, size_t alignment) {
  if (IsOutOfMemory()) return nullptr;
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  return alignment > alignof(std::max_align_t)
             ? std::aligned_alloc(alignment, rounded)
             : std::malloc(size == 0 ? 1 : size);
}

void* AllocateOrThrow(size_t size, size_t alignment) {
  while (true) {
    void* const memory = Allocate(size, alignment);
    if (memory != nullptr) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(size_t size) { return AllocateOrThrow(size, 1); }
void* operator new[](size_t size) { return AllocateOrThrow(size, 1); }
void* operator new(size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return Allocate(size, 1);
}
void* operator new[](size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return Allocate(size, 1);
}
void* operator new(size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t /*size*/,
                     std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, size_t /*size*/,
                       std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

#else

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

#endif  // __SANITIZE_ADDRESS__
