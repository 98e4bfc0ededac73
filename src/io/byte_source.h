// SPDX-License-Identifier: Apache-2.0
// An interface for bytes that are read in order, from a file or from memory.
#ifndef STOWAGE_SRC_IO_BYTE_SOURCE_H_
#define STOWAGE_SRC_IO_BYTE_SOURCE_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Writes the next bytes to the start of `buffer`, which must not be empty,
  // and returns their number. Returns 0 only at the end.
  virtual absl::StatusOr<size_t> Read(absl::Span<char> buffer) = 0;
};

// Reads the bytes of a string, which must outlive the source.
class StringSource : public ByteSource {
 public:
  explicit StringSource(absl::string_view text) : rest_(text) {}

  absl::StatusOr<size_t> Read(absl::Span<char> buffer) override {
    const size_t count = rest_.copy(buffer.data(), buffer.size());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  absl::string_view rest_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_BYTE_SOURCE_H_
