// SPDX-License-Identifier: Apache-2.0
// Says whether the build uses a sanitizer, which makes everything several times
// as slow. Some tests try many more cases than are needed to reach every line.
// With a sanitizer they may try fewer, because builds without a sanitizer try
// all cases.
#ifndef STOWAGE_TESTS_SUPPORT_SANITIZED_H_
#define STOWAGE_TESTS_SUPPORT_SANITIZED_H_

namespace stowage::support {

#if defined(STOWAGE_SANITIZED)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_SANITIZED_H_
