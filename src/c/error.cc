// SPDX-License-Identifier: Apache-2.0
#include "stowage/c/error.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "src/base/status_code_names.h"
#include "stowage/version.h"

extern "C" {

const char* stowage_code_name(stowage_code code) {
  static_assert(std::size(stowage::kStatusCodeNames) ==
                STOWAGE_UNAUTHENTICATED + 1);
  const auto index = static_cast<uint32_t>(code);
  return index <= STOWAGE_UNAUTHENTICATED ? stowage::kStatusCodeNames[index]
                                          : "?";
}

uint32_t stowage_abi_version(void) { return 1; }

const char* stowage_version_string(void) { return STOWAGE_VERSION_STRING; }

}  // extern "C"
