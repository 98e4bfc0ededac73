// SPDX-License-Identifier: Apache-2.0
// Reads lines of UTF-8 text one at a time. The memory does not grow with the
// file, and contents that are not text are refused early, even in a long file.
#ifndef STOWAGE_SRC_IO_LINE_READER_H_
#define STOWAGE_SRC_IO_LINE_READER_H_

#include <cstddef>
#include <string>

#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"

namespace stowage {

// The maximum length of a line in bytes, including its end.
constexpr size_t kMaxLineBytes = size_t{1} << 20;

class LineReader {
 public:
  // `name` identifies the source in messages.
  LineReader(ByteSource* source, string_view name)
      : source_(source), name_(name) {}

  // Returns the next line, including the line feed at its end if there is one,
  // or nullopt at the end of the text. The line is valid until the next call. A
  // byte order mark at the start of the text is not part of the first line.
  // Errors: InvalidArgument for a NUL, for bytes that are not UTF-8 and for a
  // line longer than kMaxLineBytes; those of the source.
  StatusOr<optional<string_view>> Next();

  // Returns the number of the line that Next returned last. Lines are numbered
  // from 1.
  size_t line() const { return line_; }

  // Returns an InvalidArgument error: "NAME:LINE: MESSAGE".
  Status ErrorAt(size_t line, string_view message) const;

 private:
  // Checks the next `size` bytes and returns them.
  StatusOr<string_view> Take(size_t size);
  Status CheckNoNul(string_view text) const;
  Status TooLong() const;
  Status Fill();

  ByteSource* source_;
  std::string name_;
  size_t line_ = 0;
  std::string buffer_;
  // The position in `buffer_` of the first byte that has not been returned yet.
  size_t begin_ = 0;
  bool at_end_ = false;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_LINE_READER_H_
