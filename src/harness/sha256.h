// SPDX-License-Identifier: Apache-2.0
// Computes the SHA-256 digests of tensors in dumps and reports. For hash tables
// in memory, use absl::Hash instead.
#ifndef STOWAGE_SRC_HARNESS_SHA256_H_
#define STOWAGE_SRC_HARNESS_SHA256_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage::harness {

// Returns the digest in lower-case hexadecimal.
std::string Sha256(absl::string_view bytes);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_SHA256_H_
