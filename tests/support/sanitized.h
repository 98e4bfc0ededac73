// SPDX-License-Identifier: Apache-2.0
// Tells whether a sanitizer is in use, which makes everything several times as
// slow. Tests that try much more than is needed to reach every line may then
// try less, since builds without a sanitizer try all.
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
