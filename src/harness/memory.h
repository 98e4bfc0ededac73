// SPDX-License-Identifier: Apache-2.0
// Marks bytes as accessible or inaccessible for the address sanitizer. For
// blocks of memory that count against the limit of an interpreter use
// stowage/harness/memory_budget.h.
#ifndef STOWAGE_SRC_HARNESS_MEMORY_H_
#define STOWAGE_SRC_HARNESS_MEMORY_H_

#include <cstddef>

namespace stowage::harness {

// These functions have an effect only in builds with the address sanitizer.
// After MakeInaccessible, the sanitizer reports every access to the range as an
// error; MakeAccessible allows access again. The ends of the range are rounded
// to the granularity of the sanitizer.
void MakeInaccessible(const void* data, size_t bytes);
void MakeAccessible(const void* data, size_t bytes);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_MEMORY_H_
