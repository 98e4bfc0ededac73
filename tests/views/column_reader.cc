// SPDX-License-Identifier: Apache-2.0
#include "tests/views/column_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace stowage::views {

std::vector<size_t> DecodeColumn(absl::string_view bytes, ColumnCoding coding) {
  std::vector<size_t> values;
  uint64_t code = 0;
  unsigned shift = 0;
  for (const char byte : bytes) {
    const uint64_t bits = static_cast<unsigned char>(byte) & 0x7f;
    // The tenth group may hold only one bit, which is the last of the 64 bits.
    EXPECT_TRUE(shift < 63 || (shift == 63 && bits <= 1)) << "over 64 bits";
    if (shift >= 64) break;
    code |= bits << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    if (coding == ColumnCoding::kDelta) {
      const uint64_t difference = (code >> 1) ^ (0 - (code & 1));
      code = (values.empty() ? 0 : values.back()) + difference;
    }
    values.push_back(code);
    code = 0;
    shift = 0;
  }
  EXPECT_EQ(shift, 0U) << "the column ends within a value";
  return values;
}

std::string UnpackBlock(absl::string_view text) {
  std::string packed;
  EXPECT_TRUE(absl::Base64Unescape(text, &packed));
  std::string bytes;
  int result = Z_BUF_ERROR;
  for (uLongf size = 1 << 16; result == Z_BUF_ERROR && size < 1 << 30;
       size *= 4) {
    bytes.resize(size);
    uLongf unpacked = size;
    result = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &unpacked,
                        reinterpret_cast<const Bytef*>(packed.data()),
                        static_cast<uLong>(packed.size()));
    bytes.resize(unpacked);
  }
  EXPECT_EQ(result, Z_OK) << "the block is no whole stream of zlib";
  return bytes;
}

}  // namespace stowage::views
