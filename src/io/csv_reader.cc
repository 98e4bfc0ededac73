// SPDX-License-Identifier: Apache-2.0
#include "src/io/csv_reader.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/base/text.h"

namespace stowage {
namespace {

constexpr absl::string_view kBlanks = " \t";

bool IsCommentOrBlank(absl::string_view line) {
  const size_t first = line.find_first_not_of(kBlanks);
  return first == absl::string_view::npos || line[first] == '#';
}

// Returns the separator of a header: the first of these characters that the
// header contains outside of quotes. The tab comes last, since it may be a
// blank beside another separator.
char SeparatorOf(absl::string_view header) {
  for (const char separator : {',', ';', '\t'}) {
    bool is_quoted = false;
    for (const char c : header) {
      if (c == '"') is_quoted = !is_quoted;
      if (c == separator && !is_quoted) return separator;
    }
  }
  return ',';
}

}  // namespace

absl::StatusOr<bool> CsvReader::Next(CsvRow* row) {
  row->fields.clear();
  do {
    absl::StatusOr<bool> more = NextLine();
    if (!more.ok() || !*more) return more;
  } while (IsCommentOrBlank(rest_));
  if (separator_ == '\0') separator_ = SeparatorOf(rest_);
  row->line = lines_.line();
  row_bytes_ = rest_.size() + end_.size();
  while (true) {
    if (absl::Status status = ReadField(row); !status.ok()) return status;
    if (rest_.empty()) return true;
    rest_.remove_prefix(1);  // the separator
  }
}

absl::string_view CsvReader::separator_name() const {
  return separator_ == ';'    ? "a semicolon"
         : separator_ == '\t' ? "a tab"
                              : "a comma";
}

absl::string_view CsvReader::blanks() const {
  return separator_ == '\t' ? " " : kBlanks;
}

void CsvReader::StripLeadingBlanks(absl::string_view* text) const {
  text->remove_prefix(
      std::min(text->find_first_not_of(blanks()), text->size()));
}

absl::string_view CsvReader::StripTrailingBlanks(absl::string_view text) const {
  return text.substr(0, text.find_last_not_of(blanks()) + 1);
}

absl::StatusOr<bool> CsvReader::NextLine() {
  const absl::StatusOr<absl::optional<absl::string_view>> line = lines_.Next();
  if (!line.ok()) return line.status();
  if (!*line) return false;
  const size_t end_size = absl::EndsWith(**line, "\r\n") ? 2
                          : absl::EndsWith(**line, "\n") ? 1
                                                         : 0;
  rest_ = (*line)->substr(0, (*line)->size() - end_size);
  end_ = (*line)->substr(rest_.size());
  return true;
}

absl::Status CsvReader::ReadField(CsvRow* row) {
  StripLeadingBlanks(&rest_);
  return absl::StartsWith(rest_, "\"") ? ReadQuotedField(row)
                                       : ReadPlainField(row);
}

absl::Status CsvReader::ReadPlainField(CsvRow* row) {
  const absl::string_view field =
      StripTrailingBlanks(rest_.substr(0, rest_.find(separator_)));
  if (absl::StrContains(field, '"')) {
    return ErrorAt(lines_.line(),
                   absl::StrCat("a quote inside the field ", Quoted(field),
                                "; expected the whole field in quotes and the "
                                "quote doubled"));
  }
  if (absl::StrContains(field, '\r')) {
    return ErrorAt(lines_.line(),
                   "a carriage return without a line feed; expected lines "
                   "that end with LF or CRLF");
  }
  row->fields.emplace_back(field);
  rest_ = rest_.substr(std::min(rest_.find(separator_), rest_.size()));
  return absl::OkStatus();
}

absl::Status CsvReader::ReadQuotedField(CsvRow* row) {
  rest_.remove_prefix(1);
  absl::StatusOr<std::string> field = ReadToClosingQuote();
  if (!field.ok()) return field.status();
  StripLeadingBlanks(&rest_);
  if (!rest_.empty() && rest_[0] != separator_) {
    return ErrorAt(
        lines_.line(),
        absl::StrCat("text after the closing quote of ", Quoted(*field),
                     "; expected ", separator_name()));
  }
  row->fields.push_back(*std::move(field));
  return absl::OkStatus();
}

absl::StatusOr<std::string> CsvReader::ReadToClosingQuote() {
  const size_t first_line = lines_.line();
  std::string text;
  while (true) {
    const size_t quote = rest_.find('"');
    if (quote != absl::string_view::npos) {
      absl::StrAppend(&text, rest_.substr(0, quote));
      rest_.remove_prefix(quote + 1);
      if (!absl::StartsWith(rest_, "\"")) return text;
      rest_.remove_prefix(1);
      text += '"';
      continue;
    }
    absl::StrAppend(&text, rest_, end_);
    const absl::StatusOr<bool> more = NextLine();
    if (!more.ok()) return more.status();
    if (!*more) return ErrorAt(first_line, "a quote that is never closed");
    row_bytes_ += rest_.size() + end_.size();
    if (row_bytes_ > kMaxLineBytes) {
      return ErrorAt(first_line, absl::StrCat("a quote that is not closed in ",
                                              kMaxLineBytes, " bytes"));
    }
  }
}

}  // namespace stowage
