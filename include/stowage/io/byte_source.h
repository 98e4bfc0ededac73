// SPDX-License-Identifier: Apache-2.0
// Defines an interface that reads bytes in order, from a file (input_file.h) or
// from memory. Use it for data that need not be in memory as a whole.
#ifndef STOWAGE_IO_BYTE_SOURCE_H_
#define STOWAGE_IO_BYTE_SOURCE_H_

#include <cstddef>

#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads the next bytes into the start of `buffer` and returns their number,
  // which is 0 only at the end of the source. Requires that `buffer` is not
  // empty.
  virtual StatusOr<size_t> Read(Span<char> buffer) = 0;
};

// Reads the bytes of a string, which must outlive the source.
class StringSource : public ByteSource {
 public:
  explicit StringSource(string_view text) : rest_(text) {}

  StatusOr<size_t> Read(Span<char> buffer) override {
    const size_t count = rest_.copy(buffer.data(), buffer.size());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  string_view rest_;
};

}  // namespace stowage

#endif  // STOWAGE_IO_BYTE_SOURCE_H_
