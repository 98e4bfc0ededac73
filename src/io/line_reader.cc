// SPDX-License-Identifier: Apache-2.0
#include "src/io/line_reader.h"

#include <cstddef>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"

namespace stowage {
namespace {

constexpr size_t kReadBytes = size_t{1} << 16;
constexpr string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Status LineReader::ErrorAt(size_t line, string_view message) const {
  return InvalidArgumentError(StrCat(name_, ":", line, ": ", message));
}

StatusOr<optional<string_view>> LineReader::Next() {
  ++line_;
  size_t searched = 0;
  while (true) {
    const string_view rest = string_view(buffer_).substr(begin_);
    const size_t feed = rest.find('\n', searched);
    if (feed != string_view::npos) return Take(feed + 1);
    if (at_end_) {
      if (rest.empty()) return nullopt;
      return Take(rest.size());
    }
    // The bytes are already checked here, before the line is complete, because
    // a file that is not text may have no line end for a long time.
    if (Status status = CheckNoNul(rest.substr(searched)); !status.ok()) {
      return status;
    }
    if (rest.size() >= kMaxLineBytes) return TooLong();
    searched = rest.size();
    if (Status status = Fill(); !status.ok()) return status;
  }
}

StatusOr<string_view> LineReader::Take(size_t size) {
  string_view line = string_view(buffer_).substr(begin_, size);
  begin_ += size;
  if (size > kMaxLineBytes) return TooLong();
  if (line_ == 1) ConsumePrefix(&line, kByteOrderMark);
  if (Status status = CheckNoNul(line); !status.ok()) return status;
  if (!IsUtf8(line)) return ErrorAt(line_, "not UTF-8 text");
  return line;
}

Status LineReader::CheckNoNul(string_view text) const {
  if (text.find('\0') == string_view::npos) return OkStatus();
  return ErrorAt(line_, "a NUL byte: not UTF-8 text");
}

Status LineReader::TooLong() const {
  return ErrorAt(line_, StrCat("longer than ", kMaxLineBytes, " bytes"));
}

Status LineReader::Fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t old_size = buffer_.size();
  buffer_.resize(old_size + kReadBytes);
  const StatusOr<size_t> count =
      source_->Read(MakeSpan(buffer_).subspan(old_size));
  if (!count.ok()) return count.status();
  buffer_.resize(old_size + *count);
  at_end_ = *count == 0;
  return OkStatus();
}

}  // namespace stowage
