// SPDX-License-Identifier: Apache-2.0
#include "src/proof/log_reader.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/tensor_size.h"

namespace stowage::certificate {
namespace {

// The maximum length of a line of a log, in bytes.
constexpr size_t kMaxBytes = 64;

constexpr size_t kReadBytes = size_t{1} << 16;

// Removes a decimal number without leading zeros from the beginning of `*text`,
// and returns the number. Returns nothing if the text does not begin with such
// a number, or if the number is not below 2^64.
optional<size_t> TakeNumber(string_view* text) {
  size_t value = 0;
  size_t digits = 0;
  for (; digits < text->size(); ++digits) {
    const char c = (*text)[digits];
    if (c < '0' || c > '9') break;
    const auto shifted = CheckedMultiply(value, size_t{10});
    if (!shifted) return nullopt;
    const auto sum = CheckedAdd(*shifted, static_cast<size_t>(c - '0'));
    if (!sum) return nullopt;
    value = *sum;
  }
  if (digits == 0 || (digits > 1 && text->front() == '0')) return nullopt;
  text->remove_prefix(digits);
  return value;
}

optional<LogStep> ParseStep(const LogLetters& letters, string_view line) {
  if (line.empty()) return nullopt;
  LogStep step;
  step.letter = line.front();
  line.remove_prefix(1);
  const bool has_two = StrContains(letters.with_two, step.letter);
  if (has_two || StrContains(letters.with_number, step.letter)) {
    const optional<size_t> number = TakeNumber(&line);
    if (!number) return nullopt;
    step.number = *number;
  } else if (!StrContains(letters.without_number, step.letter)) {
    return nullopt;
  }
  if (has_two) {
    if (!ConsumePrefix(&line, " ")) return nullopt;
    const optional<size_t> second = TakeNumber(&line);
    if (!second) return nullopt;
    step.second = *second;
  }
  return line.empty() ? make_optional(step) : nullopt;
}

}  // namespace

Status LogReader::ErrorHere(string_view message) const {
  return InvalidArgumentError(StrCat("log line ", line_, ": ", message));
}

Status LogReader::Fill() {
  if (read_ == nullptr) return OkStatus();
  while (!is_at_end_ && rest_.size() < kMaxBytes) {
    std::string more(rest_);
    const size_t size = more.size();
    more.resize(size + kReadBytes);
    const StatusOr<size_t> count = read_(MakeSpan(more).subspan(size));
    if (!count.ok()) return count.status();
    is_at_end_ = *count == 0;
    more.resize(size + *count);
    buffer_ = std::move(more);
    rest_ = buffer_;
  }
  return OkStatus();
}

Status LogReader::CheckEnd(string_view line) {
  const std::string expected = StrCat("end ", Hex(checksum_, kZeroPad16));
  if (line != expected) {
    return ErrorHere(StrCat(Quoted(line), "; expected '", expected, "'"));
  }
  if (Status s = Fill(); !s.ok()) return s;
  if (rest_.empty()) return OkStatus();
  return ErrorHere("more lines follow; expected the end of the file");
}

StatusOr<LogStep> LogReader::Next() {
  if (Status s = Fill(); !s.ok()) return s;
  ++line_;
  const size_t size = rest_.substr(0, kMaxBytes).find('\n');
  if (size == string_view::npos) {
    return ErrorHere(rest_.size() < kMaxBytes
                         ? "the file ends here; expected the end of the proof"
                         : "too long; expected a step of the search");
  }
  const string_view line = rest_.substr(0, size);
  rest_.remove_prefix(size + 1);
  if (line.substr(0, 1) == "e") {
    if (Status s = CheckEnd(line); !s.ok()) return s;
    return LogStep();
  }
  const optional<LogStep> step = ParseStep(letters_, line);
  if (!step) {
    return ErrorHere(StrCat(Quoted(line), "; expected a step of the search"));
  }
  for (const char c : line) {
    checksum_ = (checksum_ ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  }
  checksum_ = (checksum_ ^ static_cast<unsigned char>('\n')) * 0x100000001B3;
  return *step;
}

}  // namespace stowage::certificate
