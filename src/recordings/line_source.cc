// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/line_source.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"

namespace stowage::recordings {
namespace {

constexpr size_t kLineChunkBytes = size_t{1} << 16;

optional<uint64_t> ParseDigits(string_view digits, int base) {
  uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const std::from_chars_result result =
      std::from_chars(digits.data(), end, number, base);
  if (result.ec != std::errc() || result.ptr != end) return nullopt;
  return number;
}

}  // namespace

Status LineSource::Error(string_view message) const {
  return absl::InvalidArgumentError(
      absl::StrCat(name_, ": line ", line_, ": ", message));
}

Status LineSource::Fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t size = buffer_.size();
  buffer_.resize(size + kLineChunkBytes);
  const StatusOr<size_t> count =
      source_->Read({&buffer_[size], kLineChunkBytes});
  buffer_.resize(size + (count.ok() ? *count : 0));
  if (!count.ok()) return count.status();
  at_end_ = *count == 0;
  return absl::OkStatus();
}

StatusOr<optional<string_view>> LineSource::Next() {
  size_t searched = 0;
  size_t length = string_view::npos;
  while (true) {
    const string_view rest = string_view(buffer_).substr(begin_);
    length = rest.find('\n', searched);
    if (length != string_view::npos || at_end_) break;
    searched = rest.size();
    if (searched > kMaxLogLineBytes) break;
    const Status filled = Fill();
    if (!filled.ok()) return filled;
  }
  const string_view rest = string_view(buffer_).substr(begin_);
  is_whole_ = length != string_view::npos;
  if (!is_whole_ && rest.empty()) return optional<string_view>();
  ++line_;
  string_view line = rest.substr(0, length);
  if (line.size() > kMaxLogLineBytes) {
    return Error(absl::StrCat("is longer than ", kMaxLogLineBytes,
                              " bytes; expected the lines of a log"));
  }
  begin_ += line.size() + (is_whole_ ? 1 : 0);
  absl::ConsumeSuffix(&line, "\r");
  if (line_ == 1) absl::ConsumePrefix(&line, kLogByteOrderMark);
  return optional<string_view>(line);
}

optional<uint64_t> ParseHexNumber(string_view text) {
  if (absl::StartsWith(text, "0x")) text.remove_prefix(2);
  return ParseDigits(text, 16);
}

optional<uint64_t> ParseDecimalNumber(string_view text) {
  return ParseDigits(text, 10);
}

}  // namespace stowage::recordings
