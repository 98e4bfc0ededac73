// SPDX-License-Identifier: Apache-2.0
// Declares functions for LD_PRELOAD libraries that replace the allocator of
// glibc. Each function is a second name of a function of glibc, and no program
// replaces these names. The functions can be called from the first allocation
// on, before any constructor has run. Looking up the originals with dlsym would
// not work, because dlsym may itself allocate.
#ifndef STOWAGE_SRC_RECORDER_PRELOAD_GLIBC_MALLOC_H_
#define STOWAGE_SRC_RECORDER_PRELOAD_GLIBC_MALLOC_H_

#include <cstddef>

// Marks a function that replaces a function of the C library. All other
// functions of such a library are hidden, so they do not clash with functions
// of the program.
#define STOWAGE_INTERPOSED extern "C" __attribute__((visibility("default")))

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming):
// glibc has these names.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void* __libc_valloc(size_t size);
void* __libc_pvalloc(size_t size);
void __libc_free(void* block);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

namespace stowage::preload {

// Returns whether posix_memalign accepts the alignment.
inline bool IsPosixAlignment(size_t alignment) {
  return alignment >= sizeof(void*) && (alignment & (alignment - 1)) == 0;
}

// Sets *bytes to the size of an array in bytes, and returns whether that size
// overflows.
inline bool ArrayOverflows(size_t count, size_t size, size_t* bytes) {
  return __builtin_mul_overflow(count, size, bytes);
}

}  // namespace stowage::preload

#endif  // STOWAGE_SRC_RECORDER_PRELOAD_GLIBC_MALLOC_H_
