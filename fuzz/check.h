// SPDX-License-Identifier: Apache-2.0
// Aborts a fuzzer when the library breaks a promise.
#ifndef STOWAGE_FUZZ_CHECK_H_
#define STOWAGE_FUZZ_CHECK_H_

#include <cstdlib>
#include <iostream>
#include <string>

namespace stowage {

// Aborts with the message unless `promise` holds.
inline void Check(bool promise, const std::string& message) {
  if (promise) return;
  std::cerr << "broken promise: " << message << "\n";
  std::abort();
}

}  // namespace stowage

#endif  // STOWAGE_FUZZ_CHECK_H_
