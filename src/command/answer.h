// SPDX-License-Identifier: Apache-2.0
// Represents the answer of a verb as a value that consists of fields, tables
// and prose. Parts with a key are for programs. Parts with a label, and prose,
// are for people. One function renders the value in each format, so that a verb
// states everything only once.
//
//   Answer answer;
//   answer.Add("records", "records", records);
//   answer.Add("naive_size", "naive size", Size(bytes));
//   answer.AddData("peak_tasks", tasks);
//   answer.Say("peak", Phrase(Size(breadth), " live at task ", task));
//   return answer.Render(format);
#ifndef STOWAGE_SRC_COMMAND_ANSWER_H_
#define STOWAGE_SRC_COMMAND_ANSWER_H_

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/command/json.h"
#include "src/command/layout.h"
#include "src/command/options.h"

namespace stowage::cli {

// A value in the form that programs read and in the forms that people read. The
// functions below create values of special kinds, for example with a unit.
struct Value {
  // Creates a value without text, which is null for programs. The constructor
  // cannot throw, because a JSON null allocates no memory.
  Value() = default;  // NOLINT(bugprone-exception-escape)
  // NOLINTBEGIN(google-explicit-constructor): callers pass the pieces of a
  // phrase without converting them.

  // Creates a value from prose. Programs read the prose unchanged. People read
  // it on one line, with line ends escaped (OneLine); in Markdown, its
  // punctuation is escaped, too, so that nothing in it is markup.
  Value(absl::string_view prose);
  Value(const char* prose) : Value(absl::string_view(prose)) {}
  Value(const std::string& prose) : Value(absl::string_view(prose)) {}
  // Creates a number with all its digits.
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  Value(T number) : json(number), text(absl::StrCat(number)), markdown(text) {}
  // NOLINTEND(google-explicit-constructor)

  // Creates a value that programs read as `data` and people read as `said`.
  Value(Json data, const Value& said)
      : json(std::move(data)), text(said.text), markdown(said.markdown) {}
  Value(Json data, std::string plain, std::string marked)
      : json(std::move(data)),
        text(std::move(plain)),
        markdown(std::move(marked)) {}

  Json json;             // JSON shows this form
  std::string text;      // terminals and CSV show this form
  std::string markdown;  // Markdown shows this form
};

// Returns a cell that people read as a dash and programs as null.
Value Nothing();
// Returns a cell that JSON leaves out.
Value Omitted();
// Returns data for programs, in a column that people do not see.
Value Data(Json json);
// Returns the exact number of bytes, with separators in Markdown.
Value Bytes(size_t bytes);
// Returns bytes with their unit: "6021120 bytes (5.74 MiB)".
Value Size(size_t bytes);
// Returns a change in bytes, with its sign. Programs read null if it exceeds 64
// bits.
Value SignedBytes(absl::int128 bytes);
// Returns a time: in microseconds for programs, with three digits and a unit
// for people.
Value Time(absl::Duration time);
// Returns a ratio that people read as "1.0234", or as a dash if the ratio is
// nullopt. Programs read null.
Value RatioValue(absl::optional<double> ratio);
// Returns a name from a file, cut after `max` bytes. In Markdown, the name is
// formatted as code.
Value Name(absl::string_view name,
           size_t max = std::numeric_limits<size_t>::max());
// Returns the name in quotes. In Markdown, no quotes are added, since the name
// is formatted as code.
Value QuotedName(Value name);
// Returns lines of text that people see unchanged. Programs read null.
Value Lines(absl::string_view text);
// Returns the words as a list for programs. People read the words with commas
// between them, or "none" if there are no words.
Value Words(const std::vector<std::string>& words);
// Returns the first `max` of `count` values with commas between them, and
// "..." if there are more.
Value Listed(size_t count, size_t max,
             const std::function<Value(size_t)>& value);

// Joins the pieces into one value for people. Programs read null.
template <typename... Pieces>
Value Phrase(const Pieces&... pieces) {
  Value phrase;
  const auto append = [&phrase](const Value& piece) {
    phrase.text += piece.text;
    phrase.markdown += piece.markdown;
  };
  (append(pieces), ...);
  return phrase;
}

using Align = Table::Align;

// A table with a row for each entry. The rows are made one by one while the
// answer is rendered, so that long tables take no memory. Objects to which the
// rows refer must exist until the answer is rendered.
struct AnswerTable {
  struct Column {
    // Parses "LABEL=KEY", or "LABEL>KEY" for a column of numbers, which are
    // aligned at the right. People do not see a column without a label, and
    // JSON leaves out a column without a key.
    // NOLINTNEXTLINE(google-explicit-constructor): tables list their columns.
    Column(absl::string_view text);
    Column(const char* text) : Column(absl::string_view(text)) {}  // NOLINT

    std::string label;
    Align align = Align::kLeft;
    std::string key;
  };
  std::vector<Column> columns;
  size_t count = 0;
  // Returns the cells of a row, one for each column.
  std::function<std::vector<Value>(size_t)> row;
  // People see at most this number of rows, followed by `rest`, in which "$0"
  // stands for the number of other rows.
  size_t max = std::numeric_limits<size_t>::max();
  std::string rest = "and $0 more rows";
  // If the table is too wide and has to be split, each part repeats the first
  // `key_columns` columns.
  size_t key_columns = 1;
  // If true, text places the cells of a row below each other. This suits long
  // cells. The first two cells share a line. Every other cell follows on a line
  // of its own, after its label.
  bool is_stacked = false;
};

// Returns a table of the given rows.
AnswerTable TableOf(std::vector<AnswerTable::Column> columns,
                    std::vector<std::vector<Value>> rows);

class Answer {
 public:
  // Adds a field for programs and people. People read `said` if it is given.
  void Add(std::string key, std::string label, const Value& value);
  void Add(std::string key, std::string label, Json data, const Value& said);
  // Add data that only programs get: a field, or a list whose entries are made
  // one by one.
  void AddData(std::string key, Json data);
  void AddList(std::string key, size_t count,
               std::function<Json(size_t)> entry);
  // Adds a field for people. A field without a label continues the previous
  // field.
  void Say(std::string label, const Value& value);
  // Adds a line for people.
  void SayLine(const Value& line);
  // Adds the title of the answer: a field in text, a heading in Markdown.
  void AddTitle(std::string key, std::string label, const Value& title);
  void AddHeading(const Value& heading);
  void AddParagraph(const Value& paragraph);
  // Adds a table. Programs get a list under `key`, unless `key` is empty.
  // People get a table, if there are rows and at least one column has a label.
  void AddTable(AnswerTable table, std::string key = "");
  // In Markdown, folds the parts that follow into a section with this title.
  // Has no effect in other formats.
  void BeginDetails(const Value& title);

  // Returns the answer in one of the formats text, JSON, Markdown and CSV.
  // Text fits the screen. If the command has read a model, JSON also says how
  // many tensors have an open extent (notes.h).
  std::string Render(Format format) const;
  std::string ToText(const TextLimits& limits) const;
  std::string ToJson() const;
  // Returns at most 65,535 characters, the limit for a comment on GitHub. Rows
  // of tables that do not fit are left out. The result is longer only if the
  // parts that are not tables exceed the limit by themselves.
  std::string ToMarkdown() const;
  // Returns the first table. Its format is that of RFC 4180, except that lines
  // end in LF.
  std::string ToCsv() const;

 private:
  // The order of the kinds matters. In text, a blank line comes before and
  // after each part of the kind kHeading or of a later kind. In Markdown, a
  // blank line comes before and after each part of the kind kTitle or of a
  // later kind.
  enum class Kind {
    kField,
    kLine,
    kTitle,
    kHeading,
    kParagraph,
    kTable,
    kDetails
  };
  struct Part {
    Kind kind = Kind::kField;
    bool is_for_people = false;
    std::string key;
    Json data;
    std::string label;
    Value said;
    AnswerTable table;
    // Makes the entries of a part that AddList has added.
    std::function<Json(size_t)> entry;
  };

  void AddPart(Kind kind, std::string label, const Value& said);
  // Returns the parts that people see.
  std::vector<const Part*> PartsForPeople() const;

  std::vector<Part> parts_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_ANSWER_H_
