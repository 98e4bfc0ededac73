// SPDX-License-Identifier: Apache-2.0
#include "src/io/csv_reader.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"

namespace stowage {
namespace {

constexpr string_view kBlanks = " \t";

bool IsCommentOrBlank(string_view line) {
  const size_t first = line.find_first_not_of(kBlanks);
  return first == string_view::npos || line[first] == '#';
}

// Returns the separator of a header: the first of the characters below that
// occurs in the header outside quotes. The tab is tried last, because a tab may
// also be white space next to another separator.
char SeparatorOf(string_view header) {
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

StatusOr<bool> CsvReader::Next(CsvRow* row) {
  row->fields.clear();
  do {
    StatusOr<bool> more = NextLine();
    if (!more.ok() || !*more) return more;
  } while (IsCommentOrBlank(rest_));
  if (separator_ == '\0') separator_ = SeparatorOf(rest_);
  row->line = lines_.line();
  row_bytes_ = rest_.size() + end_.size();
  while (true) {
    if (Status status = ReadField(row); !status.ok()) return status;
    if (rest_.empty()) return true;
    rest_.remove_prefix(1);  // the separator
  }
}

string_view CsvReader::separator_name() const {
  return separator_ == ';'    ? "a semicolon"
         : separator_ == '\t' ? "a tab"
                              : "a comma";
}

string_view CsvReader::blanks() const {
  return separator_ == '\t' ? " " : kBlanks;
}

void CsvReader::StripLeadingBlanks(string_view* text) const {
  text->remove_prefix(
      std::min(text->find_first_not_of(blanks()), text->size()));
}

string_view CsvReader::StripTrailingBlanks(string_view text) const {
  return text.substr(0, text.find_last_not_of(blanks()) + 1);
}

StatusOr<bool> CsvReader::NextLine() {
  const StatusOr<optional<string_view>> line = lines_.Next();
  if (!line.ok()) return line.status();
  if (!*line) return false;
  const size_t end_size = EndsWith(**line, "\r\n") ? 2
                          : EndsWith(**line, "\n") ? 1
                                                   : 0;
  rest_ = (*line)->substr(0, (*line)->size() - end_size);
  end_ = (*line)->substr(rest_.size());
  return true;
}

Status CsvReader::ReadField(CsvRow* row) {
  StripLeadingBlanks(&rest_);
  return StartsWith(rest_, "\"") ? ReadQuotedField(row) : ReadPlainField(row);
}

Status CsvReader::ReadPlainField(CsvRow* row) {
  const string_view field =
      StripTrailingBlanks(rest_.substr(0, rest_.find(separator_)));
  if (StrContains(field, '"')) {
    return ErrorAt(lines_.line(),
                   StrCat("a quote inside the field ", Quoted(field),
                          "; expected the whole field in quotes and the "
                          "quote doubled"));
  }
  if (StrContains(field, '\r')) {
    return ErrorAt(lines_.line(),
                   "a carriage return without a line feed; expected lines "
                   "that end with LF or CRLF");
  }
  row->fields.emplace_back(field);
  rest_ = rest_.substr(std::min(rest_.find(separator_), rest_.size()));
  return OkStatus();
}

Status CsvReader::ReadQuotedField(CsvRow* row) {
  rest_.remove_prefix(1);
  StatusOr<std::string> field = ReadToClosingQuote();
  if (!field.ok()) return field.status();
  StripLeadingBlanks(&rest_);
  if (!rest_.empty() && rest_[0] != separator_) {
    return ErrorAt(lines_.line(),
                   StrCat("text after the closing quote of ", Quoted(*field),
                          "; expected ", separator_name()));
  }
  row->fields.push_back(*std::move(field));
  return OkStatus();
}

StatusOr<std::string> CsvReader::ReadToClosingQuote() {
  const size_t first_line = lines_.line();
  std::string text;
  while (true) {
    const size_t quote = rest_.find('"');
    if (quote != string_view::npos) {
      StrAppend(&text, rest_.substr(0, quote));
      rest_.remove_prefix(quote + 1);
      if (!StartsWith(rest_, "\"")) return text;
      rest_.remove_prefix(1);
      text += '"';
      continue;
    }
    StrAppend(&text, rest_, end_);
    const StatusOr<bool> more = NextLine();
    if (!more.ok()) return more.status();
    if (!*more) return ErrorAt(first_line, "a quote that is never closed");
    row_bytes_ += rest_.size() + end_.size();
    if (row_bytes_ > kMaxLineBytes) {
      return ErrorAt(first_line, StrCat("a quote that is not closed in ",
                                        kMaxLineBytes, " bytes"));
    }
  }
}

}  // namespace stowage
