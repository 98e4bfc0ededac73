// SPDX-License-Identifier: Apache-2.0
// Whether a sanitizer watches, which makes everything several times as slow.
// Tests that try much more than it takes to reach every line may then try less:
// builds without it try all.
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
