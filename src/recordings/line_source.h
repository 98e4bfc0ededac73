// SPDX-License-Identifier: Apache-2.0
// Reads the lines of a log one at a time, so a log of any length needs no more
// memory than its longest line. Lines may contain any bytes, because logs
// contain file names and the output of programs.
//
//   LineSource lines(source.get(), input->name());
//   while (true) {
//     const StatusOr<optional<string_view>> line = lines.Next();
//     if (!line.ok()) return line.status();
//     if (!line->has_value()) break;
//     ...
//   }
#ifndef STOWAGE_SRC_RECORDINGS_LINE_SOURCE_H_
#define STOWAGE_SRC_RECORDINGS_LINE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"

namespace stowage::recordings {

// The maximum length of a line. The longest lines of logs contain the command
// of a program, which Linux limits to 2 MiB.
constexpr size_t kMaxLogLineBytes = size_t{1} << 22;

class LineSource {
 public:
  // `name` is the name of the source in messages. Both arguments must outlive
  // this object.
  LineSource(ByteSource* source, const std::string& name)
      : source_(source), name_(name) {}

  // Returns the next line without its terminator (LF or CR LF), or nullopt at
  // the end of the text. The line is valid until the next call. Errors:
  // InvalidArgument for a line longer than kMaxLogLineBytes; the errors of the
  // source.
  StatusOr<optional<string_view>> Next();

  // Returns the number of the last line that Next returned, counted from 1.
  size_t line() const { return line_; }

  // Returns whether the last line that Next returned has a terminator. The last
  // line of a log has none if the program that wrote the log was killed.
  bool is_whole() const { return is_whole_; }

  // Returns the InvalidArgument error "NAME: line N: MESSAGE".
  Status Error(string_view message) const;

 private:
  // Appends bytes of the source to buffer_, or sets at_end_ if there are no
  // more bytes.
  Status Fill();

  ByteSource* source_;
  const std::string& name_;
  std::string buffer_;
  size_t begin_ = 0;  // the first byte of buffer_ that was not returned yet
  size_t line_ = 0;
  bool is_whole_ = true;
  bool at_end_ = false;
};

// Some editors write this mark before the first line. LineSource leaves it out.
inline constexpr string_view kLogByteOrderMark = "\xEF\xBB\xBF";

// Parse a whole text as a number. ParseHexNumber accepts hexadecimal digits in
// lower or upper case after an optional 0x. ParseDecimalNumber accepts decimal
// digits. Both return nullopt for any other text, and for numbers of more than
// 64 bits.
optional<uint64_t> ParseHexNumber(string_view text);
optional<uint64_t> ParseDecimalNumber(string_view text);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_LINE_SOURCE_H_
