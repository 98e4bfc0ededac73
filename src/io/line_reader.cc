// SPDX-License-Identifier: Apache-2.0
#include "src/io/line_reader.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/base/text.h"

namespace stowage {
namespace {

constexpr size_t kReadBytes = size_t{1} << 16;
constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

absl::Status LineReader::ErrorAt(size_t line, absl::string_view message) const {
  return absl::InvalidArgumentError(
      absl::StrCat(name_, ":", line, ": ", message));
}

absl::StatusOr<absl::optional<absl::string_view>> LineReader::Next() {
  ++line_;
  size_t searched = 0;
  while (true) {
    const absl::string_view rest = absl::string_view(buffer_).substr(begin_);
    const size_t feed = rest.find('\n', searched);
    if (feed != absl::string_view::npos) return Take(feed + 1);
    if (at_end_) {
      if (rest.empty()) return absl::nullopt;
      return Take(rest.size());
    }
    // Check the bytes here and not only at the end of the line: a file that is
    // not text may have no line end for a long time.
    if (absl::Status status = CheckNoNul(rest.substr(searched)); !status.ok()) {
      return status;
    }
    if (rest.size() >= kMaxLineBytes) return TooLong();
    searched = rest.size();
    if (absl::Status status = Fill(); !status.ok()) return status;
  }
}

absl::StatusOr<absl::string_view> LineReader::Take(size_t size) {
  absl::string_view line = absl::string_view(buffer_).substr(begin_, size);
  begin_ += size;
  if (size > kMaxLineBytes) return TooLong();
  if (line_ == 1) absl::ConsumePrefix(&line, kByteOrderMark);
  if (absl::Status status = CheckNoNul(line); !status.ok()) return status;
  if (!IsUtf8(line)) return ErrorAt(line_, "not UTF-8 text");
  return line;
}

absl::Status LineReader::CheckNoNul(absl::string_view text) const {
  if (text.find('\0') == absl::string_view::npos) return absl::OkStatus();
  return ErrorAt(line_, "a NUL byte: not UTF-8 text");
}

absl::Status LineReader::TooLong() const {
  return ErrorAt(line_, absl::StrCat("longer than ", kMaxLineBytes, " bytes"));
}

absl::Status LineReader::Fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t old_size = buffer_.size();
  buffer_.resize(old_size + kReadBytes);
  const absl::StatusOr<size_t> count =
      source_->Read(absl::MakeSpan(buffer_).subspan(old_size));
  if (!count.ok()) return count.status();
  buffer_.resize(old_size + *count);
  at_end_ = *count == 0;
  return absl::OkStatus();
}

}  // namespace stowage
