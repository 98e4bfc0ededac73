// SPDX-License-Identifier: Apache-2.0
#include "src/harness/sha256.h"

// This file uses functions that OpenSSL deprecates, because their replacements
// would terminate the program when memory is exhausted.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace stowage::harness {

std::string Sha256(absl::string_view bytes) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &context);
  return absl::BytesToHexString(digest);
}

}  // namespace stowage::harness
