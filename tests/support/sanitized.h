// SPDX-License-Identifier: Apache-2.0
// Reports whether the build uses a sanitizer, which makes everything several
// times slower. Tests that try many more cases than are needed to reach every
// line may try fewer cases with a sanitizer, because builds without a sanitizer
// try all of them.
#ifndef STOWAGE_TESTS_SUPPORT_SANITIZED_H_
#define STOWAGE_TESTS_SUPPORT_SANITIZED_H_

#include <cstddef>

namespace stowage::support {

#if defined(STOWAGE_SANITIZED)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

// Returns how many of `count` cases to try: all of them, or a fifth with a
// sanitizer.
constexpr size_t Sampled(size_t count) {
  return kIsSanitized ? (count + 4) / 5 : count;
}

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_SANITIZED_H_
