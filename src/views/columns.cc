// SPDX-License-Identifier: Apache-2.0
#include "src/views/columns.h"

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage::views {
namespace {

uint64_t ZigZag(uint64_t difference) {
  const uint64_t sign = difference >> 63;
  return (difference << 1) ^ (0 - sign);
}

}  // namespace

std::string EncodeColumn(absl::Span<const size_t> values, ColumnCoding coding) {
  std::string bytes;
  bytes.reserve(values.size() * 2);
  uint64_t previous = 0;
  for (const size_t value : values) {
    uint64_t code = value;
    if (coding == ColumnCoding::kDelta) {
      code = ZigZag(code - previous);
      previous = value;
    }
    for (; code >= 0x80; code >>= 7) {
      bytes.push_back(static_cast<char>(0x80 | (code & 0x7f)));
    }
    bytes.push_back(static_cast<char>(code));
  }
  return bytes;
}

std::string PackBlock(absl::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  // `packed` is large enough for any result, so compress fails only if memory
  // runs out.
  if (compress(reinterpret_cast<Bytef*>(packed.data()), &size,
               reinterpret_cast<const Bytef*>(bytes.data()),
               static_cast<uLong>(bytes.size())) != Z_OK) {
    throw std::bad_alloc();
  }
  packed.resize(size);
  return absl::Base64Escape(packed);
}

}  // namespace stowage::views
