// SPDX-License-Identifier: Apache-2.0
#include "src/views/columns.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage::views {
namespace {

// The maximum number of bytes that are passed to zlib at once. There is a
// maximum since zlib counts in 32 bits.
constexpr size_t kColumnPart = size_t{1} << 30;
constexpr size_t kColumnBuffer = size_t{1} << 16;

uint64_t ZigZag(uint64_t difference) {
  const uint64_t sign = difference >> 63;
  return (difference << 1) ^ (0 - sign);
}

uint64_t UndoZigZag(uint64_t code) { return (code >> 1) ^ (0 - (code & 1)); }

// Removes the next value from the front of `bytes` and returns it.
absl::StatusOr<uint64_t> TakeVarint(absl::string_view* bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (bytes->empty()) {
      return absl::InvalidArgumentError(
          "column: it ends within a value; expected a whole value");
    }
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    const uint64_t bits = byte & 0x7f;
    if (shift == 63 && bits > 1) break;
    value |= bits << shift;
    if (byte < 0x80) return value;
  }
  return absl::InvalidArgumentError(
      "column: a value passes 2^64 - 1; expected at most 64 bits");
}

// Passes `bytes` to zlib's `step` (deflate or inflate) and returns the output.
// Sets *result to the last return code of `step`, which is Z_STREAM_END if the
// stream is complete.
template <typename Step>
std::string PassThrough(z_stream* stream, absl::string_view bytes, Step step,
                        int* result) {
  std::string out;
  std::vector<Bytef> buffer(kColumnBuffer);
  do {
    const size_t part = std::min(bytes.size(), kColumnPart);
    // The cast is needed, since zlib has a pointer to non-const for its input
    // for historical reasons.
    stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream->avail_in = static_cast<uInt>(part);
    bytes.remove_prefix(part);
    do {
      stream->next_out = buffer.data();
      stream->avail_out = static_cast<uInt>(buffer.size());
      *result = step(stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
      out.append(reinterpret_cast<const char*>(buffer.data()),
                 buffer.size() - stream->avail_out);
      // With Z_FINISH, inflate returns Z_BUF_ERROR if the output buffer is
      // full. This is no error, since the next call continues.
    } while ((*result == Z_OK || *result == Z_BUF_ERROR) &&
             stream->avail_out == 0);
  } while (*result == Z_OK && !bytes.empty());
  return out;
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

absl::StatusOr<std::vector<size_t>> DecodeColumn(absl::string_view bytes,
                                                 size_t count,
                                                 ColumnCoding coding) {
  std::vector<size_t> values;
  // Each value takes at least one byte, so a wrong `count` cannot reserve more
  // memory than the bytes justify.
  values.reserve(std::min(count, bytes.size()));
  uint64_t previous = 0;
  for (size_t i = 0; i < count; ++i) {
    const absl::StatusOr<uint64_t> code = TakeVarint(&bytes);
    if (!code.ok()) return code.status();
    previous =
        coding == ColumnCoding::kDelta ? previous + UndoZigZag(*code) : *code;
    values.push_back(previous);
  }
  if (bytes.empty()) return values;
  return absl::InvalidArgumentError(absl::StrCat("column: ", bytes.size(),
                                                 " bytes after ", count,
                                                 " values; expected none"));
}

std::string PackBlock(absl::string_view bytes) {
  z_stream stream = {};
  // deflateInit fails only if memory runs out. Abseil ends the program in that
  // case, too.
  int result = deflateInit(&stream, Z_DEFAULT_COMPRESSION);
  const std::string packed = PassThrough(&stream, bytes, deflate, &result);
  deflateEnd(&stream);
  return absl::Base64Escape(packed);
}

absl::StatusOr<std::string> UnpackBlock(absl::string_view text) {
  std::string packed;
  if (!absl::Base64Unescape(text, &packed)) {
    return absl::InvalidArgumentError("block: not base64; expected base64");
  }
  z_stream stream = {};
  int result = inflateInit(&stream);
  std::string bytes = PassThrough(&stream, packed, inflate, &result);
  inflateEnd(&stream);
  if (result == Z_STREAM_END) return bytes;
  return absl::InvalidArgumentError(
      "block: not a whole stream of zlib; expected one");
}

}  // namespace stowage::views
