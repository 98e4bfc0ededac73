// SPDX-License-Identifier: Apache-2.0
#include "src/command/answer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/strings/substitute.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/command/json.h"
#include "src/command/layout.h"
#include "src/command/markdown.h"
#include "src/command/notes.h"
#include "src/command/options.h"
#include "src/command/screen.h"
#include "src/command/text.h"
#include "stowage/base/text.h"

namespace stowage::cli {
namespace {

// GitHub limits a comment to kMaxMarkdown characters. kRestOfTable of these
// characters are reserved for the line about the rows that are left out of a
// table.
constexpr size_t kMaxMarkdown = 65535;
constexpr size_t kRestOfTable = 100;
// The minimum number of bytes of a row of a Markdown table.
constexpr size_t kShortestRow = 8;

// Returns the JSON text without the line end that Dump adds.
std::string DumpEntry(const Json& entry) {
  std::string text = Dump(entry);
  text.pop_back();
  return text;
}

Json RowJson(const AnswerTable& table, size_t row) {
  Json entry = Json::object();
  std::vector<Value> cells = table.row(row);
  for (size_t c = 0; c < cells.size(); ++c) {
    if (table.columns[c].key.empty() || cells[c].json.is_discarded()) continue;
    entry[table.columns[c].key] = std::move(cells[c].json);
  }
  return entry;
}

// Returns a table of the first `rows` rows that has only the columns that
// people see. `member` selects the form of the values: the text or the
// Markdown.
Table VisibleTable(const AnswerTable& table, size_t rows,
                   std::string Value::*member) {
  Table visible;
  visible.set_key_columns(table.key_columns);
  for (const AnswerTable::Column& column : table.columns) {
    if (!column.label.empty()) visible.AddColumn(column.label, column.align);
  }
  for (size_t k = 0; k < rows; ++k) {
    const std::vector<Value> values = table.row(k);
    std::vector<std::string> cells;
    for (size_t c = 0; c < values.size(); ++c) {
      if (table.columns[c].label.empty()) continue;
      const std::string& cell = values[c].*member;
      cells.push_back(member == &Value::markdown ? UnescapePipes(cell) : cell);
    }
    visible.AddRow(std::move(cells));
  }
  return visible;
}

std::string StackedTable(const AnswerTable& table) {
  std::string text;
  for (size_t k = 0; k < table.count; ++k) {
    const std::vector<Value> cells = table.row(k);
    absl::StrAppendFormat(&text, "%-18s %s\n", cells[0].text, cells[1].text);
    for (size_t c = 2; c < cells.size(); ++c) {
      if (table.columns[c].label.empty()) continue;
      absl::StrAppendFormat(&text, "  %-16s %s\n", table.columns[c].label,
                            cells[c].text);
    }
  }
  return text;
}

// Appends a line about the remaining rows to `text`, which must show the first
// `rows` rows of the table. If `rows` is 0, returns only that line.
std::string WithRest(const AnswerTable& table, size_t rows, std::string text) {
  if (rows == 0) text.clear();
  if (rows >= table.count) return text;
  return absl::StrCat(text, text.empty() ? "" : "\n",
                      absl::Substitute(table.rest, table.count - rows), "\n");
}

// Returns a table of at most `room` bytes. If no row fits, the result only
// states how many rows are left out.
std::string MarkdownTable(const AnswerTable& table, size_t room) {
  size_t rows = std::min({table.count, table.max, room / kShortestRow});
  const Table visible = VisibleTable(table, rows, &Value::markdown);
  std::string text = visible.ToMarkdown();
  if (text.size() > room) text = visible.ToCompactMarkdown();
  while (rows > 0 &&
         text.size() + (rows < table.count ? kRestOfTable : 0) > room) {
    text.resize(text.rfind('\n', text.size() - 2) + 1);
    --rows;
  }
  return WithRest(table, rows, std::move(text));
}

std::string CsvLine(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t c = 0; c < cells.size(); ++c) {
    const bool is_quoted =
        cells[c].find_first_of(",\"\r\n") != std::string::npos;
    absl::StrAppend(
        &line, c > 0 ? "," : "",
        is_quoted
            ? absl::StrCat(
                  "\"", absl::StrReplaceAll(cells[c], {{"\"", "\"\""}}), "\"")
            : cells[c]);
  }
  return line + "\n";
}

}  // namespace

Value::Value(absl::string_view prose)
    : json(std::string(prose)),
      text(OneLine(prose)),
      markdown(EscapeMarkdown(prose)) {}

AnswerTable::Column::Column(absl::string_view text) {
  const size_t end = std::min(text.find_first_of("=>"), text.size());
  label = std::string(text.substr(0, end));
  align = text.substr(end, 1) == ">" ? Align::kRight : Align::kLeft;
  key = std::string(text.substr(std::min(end + 1, text.size())));
}

Value Nothing() { return {nullptr, "-", "-"}; }

Value Omitted() { return {Json(Json::value_t::discarded), "-", "-"}; }

Value Data(Json json) { return {std::move(json), "", ""}; }

Value Bytes(size_t bytes) {
  return {bytes, absl::StrCat(bytes), Grouped(bytes)};
}

Value Size(size_t bytes) {
  return {bytes, FormatBytes(bytes), absl::StrCat(Grouped(bytes), " bytes")};
}

Value SignedBytes(absl::int128 bytes) {
  const bool is_negative = bytes < 0;
  const absl::uint128 size =
      is_negative ? -absl::uint128(bytes) : absl::uint128(bytes);
  std::ostringstream digits;
  digits << size;
  Value value = {nullptr, digits.str(), digits.str()};
  const uint64_t low = absl::Uint128Low64(size);
  if (size == low) {
    value.markdown = Grouped(low);
    if (!is_negative) {
      value.json = low;
    } else if (bytes >= std::numeric_limits<int64_t>::min()) {
      value.json = static_cast<int64_t>(bytes);
    }
  }
  const char* const sign = bytes == 0 ? "" : is_negative ? "-" : "+";
  for (std::string* text : {&value.text, &value.markdown}) {
    text->insert(0, sign);
  }
  return value;
}

Value Time(absl::Duration time) {
  return {Micros(time), FormatTime(time), FormatTime(time)};
}

Value RatioValue(absl::optional<double> ratio) {
  return {nullptr, FormatRatio(ratio), FormatRatio(ratio)};
}

Value Name(absl::string_view name, size_t max) {
  return {std::string(name), Shortened(name, max), CodeSpan(name, max)};
}

Value QuotedName(Value name) {
  name.text = absl::StrCat("'", name.text, "'");
  return name;
}

Value Lines(absl::string_view text) {
  absl::ConsumeSuffix(&text, "\n");
  return {nullptr, std::string(text), std::string(text)};
}

Value Words(const std::vector<std::string>& words) {
  Value value =
      words.empty() ? Value("none") : Value(absl::StrJoin(words, ", "));
  value.json = words;
  return value;
}

Value Listed(size_t count, size_t max,
             const std::function<Value(size_t)>& value) {
  Value list;
  for (size_t k = 0; k < std::min(count, max); ++k) {
    list = Phrase(list, k == 0 ? "" : ", ", value(k));
  }
  return count > max ? Phrase(list, ", ...") : list;
}

AnswerTable TableOf(std::vector<AnswerTable::Column> columns,
                    std::vector<std::vector<Value>> rows) {
  const size_t count = rows.size();
  return {std::move(columns), count,
          [rows = std::move(rows)](size_t k) { return rows[k]; }};
}

void Answer::AddPart(Kind kind, std::string label, const Value& said) {
  Part part;
  part.kind = kind;
  part.is_for_people = true;
  part.label = std::move(label);
  part.said = said;
  parts_.push_back(std::move(part));
}

void Answer::Add(std::string key, std::string label, const Value& value) {
  Add(std::move(key), std::move(label), value.json, value);
}

void Answer::Add(std::string key, std::string label, Json data,
                 const Value& said) {
  AddPart(Kind::kField, std::move(label), said);
  parts_.back().key = std::move(key);
  parts_.back().data = std::move(data);
}

void Answer::AddData(std::string key, Json data) {
  Part part;
  part.key = std::move(key);
  part.data = std::move(data);
  parts_.push_back(std::move(part));
}

void Answer::AddList(std::string key, size_t count,
                     std::function<Json(size_t)> entry) {
  AddData(std::move(key), nullptr);
  parts_.back().kind = Kind::kTable;
  parts_.back().table.count = count;
  parts_.back().entry = std::move(entry);
}

void Answer::Say(std::string label, const Value& value) {
  AddPart(Kind::kField, std::move(label), value);
}

void Answer::SayLine(const Value& line) { AddPart(Kind::kLine, "", line); }

void Answer::AddTitle(std::string key, std::string label, const Value& title) {
  Add(std::move(key), std::move(label), title);
  parts_.back().kind = Kind::kTitle;
}

void Answer::AddHeading(const Value& heading) {
  AddPart(Kind::kHeading, "", heading);
}

void Answer::AddParagraph(const Value& paragraph) {
  AddPart(Kind::kParagraph, "", paragraph);
}

void Answer::AddTable(AnswerTable table, std::string key) {
  AddPart(Kind::kTable, "", Value());
  parts_.back().key = std::move(key);
  parts_.back().table = std::move(table);
}

void Answer::BeginDetails(const Value& title) {
  AddPart(Kind::kDetails, "", title);
}

std::vector<const Answer::Part*> Answer::PartsForPeople() const {
  std::vector<const Part*> parts;
  for (const Part& part : parts_) {
    const bool is_empty = part.kind == Kind::kTable && part.table.count == 0;
    if (part.is_for_people && !is_empty) parts.push_back(&part);
  }
  return parts;
}

std::string Answer::ToText(const TextLimits& limits) const {
  std::string text;
  bool is_after_block = false;
  for (const Part* part : PartsForPeople()) {
    const bool is_block = part->kind >= Kind::kHeading;
    if (!text.empty() && (is_block || is_after_block)) text += "\n";
    is_after_block = is_block;
    switch (part->kind) {
      case Kind::kField:
      case Kind::kTitle:
        text += Field(part->label, part->said.text);
        break;
      case Kind::kTable: {
        const size_t rows = std::min(part->table.count, part->table.max);
        text += part->table.is_stacked
                    ? StackedTable(part->table)
                    : WithRest(part->table, rows,
                               VisibleTable(part->table, rows, &Value::text)
                                   .ToText(limits));
        break;
      }
      default:
        absl::StrAppend(&text, part->said.text,
                        part->kind == Kind::kHeading ? ":\n" : "\n");
    }
  }
  return FitLines(text, limits.width);
}

std::string Answer::ToMarkdown() const {
  const std::vector<const Part*> parts = PartsForPeople();
  std::vector<std::string> texts;
  size_t room = kMaxMarkdown;
  std::string end;
  for (size_t k = 0; k < parts.size(); ++k) {
    const Part& part = *parts[k];
    const std::string& said = part.said.markdown;
    const bool is_alone = part.kind >= Kind::kTitle ||
                          (k > 0 && parts[k - 1]->kind >= Kind::kTitle);
    std::string& text = texts.emplace_back(is_alone && k > 0 ? "\n" : "");
    switch (part.kind) {
      case Kind::kField:
        absl::StrAppend(&text, "- ", part.label, part.label.empty() ? "" : ": ",
                        said, "\n");
        break;
      case Kind::kDetails:
        absl::StrAppend(&text, "<details><summary>", said, "</summary>\n");
        end = "\n</details>\n";
        break;
      case Kind::kTable:
        break;
      default:
        absl::StrAppend(&text,
                        part.kind == Kind::kTitle     ? "## "
                        : part.kind == Kind::kHeading ? "### "
                                                      : "",
                        said, "\n");
    }
    room -= std::min(room, text.size());
  }
  room -= std::min(room, end.size());
  for (size_t k = 0; k < parts.size(); ++k) {
    if (parts[k]->kind != Kind::kTable) continue;
    const std::string table = MarkdownTable(parts[k]->table, room);
    room -= std::min(room, table.size());
    texts[k] += table;
  }
  return absl::StrCat(absl::StrJoin(texts, ""), end);
}

std::string Answer::ToJson() const {
  std::string text = "{";
  for (const Part& part : parts_) {
    if (part.key.empty()) continue;
    absl::StrAppend(&text, text.size() > 1 ? "," : "",
                    DumpEntry(Json(part.key)), ":");
    if (part.kind != Kind::kTable) {
      text += DumpEntry(part.data);
      continue;
    }
    for (size_t k = 0; k < part.table.count; ++k) {
      absl::StrAppend(
          &text, k == 0 ? "[" : ",",
          DumpEntry(part.entry ? part.entry(k) : RowJson(part.table, k)));
    }
    text += part.table.count == 0 ? "[]" : "]";
  }
  text += "}\n";
  return text;
}

std::string Answer::ToCsv() const {
  std::string text;
  for (const Part& part : parts_) {
    if (part.table.columns.empty()) continue;
    std::vector<std::string> cells;
    for (const AnswerTable::Column& column : part.table.columns) {
      cells.push_back(column.label);
    }
    text = CsvLine(cells);
    for (size_t k = 0; k < part.table.count; ++k) {
      cells.clear();
      for (Value& value : part.table.row(k)) {
        cells.push_back(std::move(value.text));
      }
      text += CsvLine(cells);
    }
    break;
  }
  return text;
}

std::string Answer::Render(Format format) const {
  switch (format) {
    case Format::kJson: {
      Answer answer = *this;
      if (const absl::optional<size_t> open = OpenShapeCount()) {
        answer.AddData("open_shapes", *open);
      }
      if (const uint64_t lost = LostEventCount(); lost > 0) {
        answer.AddData("lost_events", lost);
      }
      return answer.ToJson();
    }
    case Format::kMarkdown:
      return ToMarkdown();
    case Format::kCsv:
      return ToCsv();
    default:
      return ToText(ScreenLimits());
  }
}

}  // namespace stowage::cli
