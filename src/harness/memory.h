// SPDX-License-Identifier: Apache-2.0
// Tells the address sanitizer which bytes may be used. For blocks of memory
// that count against the limit of an interpreter, see
// stowage/harness/memory_budget.h.
#ifndef STOWAGE_SRC_HARNESS_MEMORY_H_
#define STOWAGE_SRC_HARNESS_MEMORY_H_

#include <cstddef>

namespace stowage::harness {

// These functions have an effect only in builds with the address sanitizer.
// After MakeInaccessible, the sanitizer reports any access to the range as an
// error; MakeAccessible allows access again. The ends of the range are rounded
// to the granularity of the sanitizer.
void MakeInaccessible(const void* data, size_t bytes);
void MakeAccessible(const void* data, size_t bytes);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_MEMORY_H_
