// SPDX-License-Identifier: Apache-2.0
// Lines of UTF-8 text, one at a time, in memory that does not grow with the
// file: what is not text is refused early, however long it is.
#ifndef STOWAGE_SRC_IO_LINE_READER_H_
#define STOWAGE_SRC_IO_LINE_READER_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/io/byte_source.h"

namespace stowage {

// The longest line that is read, its end included.
constexpr size_t kMaxLineBytes = size_t{1} << 20;

class LineReader {
 public:
  // `name` stands for the source in messages.
  LineReader(ByteSource* source, absl::string_view name)
      : source_(source), name_(name) {}

  // The next line with the line feed at its end, if there is one; nothing at
  // the end of the text. Valid until the next call. A byte order mark at the
  // start of the text is not part of the first line. Error: InvalidArgument for
  // a NUL, for what is not UTF-8, for a line above kMaxLineBytes; or what the
  // source reports.
  absl::StatusOr<absl::optional<absl::string_view>> Next();

  // The number of the line last returned, from 1.
  size_t line() const { return line_; }

  // InvalidArgument: "NAME:LINE: MESSAGE".
  absl::Status ErrorAt(size_t line, absl::string_view message) const;

 private:
  // The next `size` bytes, checked.
  absl::StatusOr<absl::string_view> Take(size_t size);
  absl::Status CheckNoNul(absl::string_view text) const;
  absl::Status TooLong() const;
  absl::Status Fill();

  ByteSource* source_;
  std::string name_;
  size_t line_ = 0;
  std::string buffer_;
  size_t begin_ = 0;  // of what is not returned yet
  bool at_end_ = false;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_LINE_READER_H_
