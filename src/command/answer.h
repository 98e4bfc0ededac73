// SPDX-License-Identifier: Apache-2.0
// Represents the answer of a verb as a value that consists of fields, tables
// and prose. Parts with a key are for programs; parts with a label, and prose,
// are for people. One function renders the value in each format, so a verb has
// to state everything only once.
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
// functions below create special kinds of values, for example with a unit.
struct Value {
  // Creates a value with an empty text, which is null for programs. The
  // constructor cannot throw, because a JSON null allocates no memory.
  Value() = default;  // NOLINT(bugprone-exception-escape)
  // NOLINTBEGIN(google-explicit-constructor): callers pass the pieces of a
  // phrase without converting them.

  // Creates a value from prose. Programs read the prose unchanged. People read
  // it on one line, with line ends escaped (OneLine). In Markdown, its
  // punctuation is also escaped, so that no part of it is interpreted as
  // markup.
  Value(absl::string_view prose);
  Value(const char* prose) : Value(absl::string_view(prose)) {}
  Value(const std::string& prose) : Value(absl::string_view(prose)) {}
  // Creates a number that is shown with all its digits.
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

// Returns a cell that people read as a dash and programs read as null.
Value Nothing();
// Returns a cell that JSON leaves out.
Value Omitted();
// Returns data for programs, in a column that people do not see.
Value Data(Json json);
// Returns the exact number of bytes, with thousands separators in Markdown.
Value Bytes(size_t bytes);
// Returns bytes with their unit: "6021120 bytes (5.74 MiB)".
Value Size(size_t bytes);
// Returns a change in bytes, with its sign. Programs read null if the change
// exceeds 64 bits.
Value SignedBytes(absl::int128 bytes);
// Returns a time. Programs read microseconds; people read three digits and a
// unit.
Value Time(absl::Duration time);
// Returns a ratio that people read as "1.0234", or as a dash if it is nullopt.
// Programs read null in both cases.
Value RatioValue(absl::optional<double> ratio);
// Returns a name from a file, truncated to `max` bytes. In Markdown, the name
// is formatted as code.
Value Name(absl::string_view name,
           size_t max = std::numeric_limits<size_t>::max());
// Returns the name in quotes. In Markdown, adds no quotes, since the name is
// formatted as code.
Value QuotedName(Value name);
// Returns lines of text that people see unchanged. Programs read null.
Value Lines(absl::string_view text);
// Returns words that programs read as a list. People read them separated by
// commas, or "none" if there are no words.
Value Words(const std::vector<std::string>& words);
// Returns the first `max` of `count` values, separated by commas, followed by
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

// A table with a row for each entry. The rows are created one by one while the
// answer is rendered, so long tables use no memory. Objects to which the rows
// refer must exist until the answer has been rendered.
struct AnswerTable {
  struct Column {
    // Parses "LABEL=KEY", or "LABEL>KEY" for a column of right-aligned numbers.
    // A column without a label is not shown to people, and a column without a
    // key is not part of the JSON.
    // NOLINTNEXTLINE(google-explicit-constructor): tables list their columns.
    Column(absl::string_view text);
    Column(const char* text) : Column(absl::string_view(text)) {}  // NOLINT

    std::string label;
    Align align = Align::kLeft;
    std::string key;
  };
  std::vector<Column> columns;
  size_t count = 0;
  // Returns the cells of a row, one per column.
  std::function<std::vector<Value>(size_t)> row;
  // The maximum number of rows that people see. They are followed by `rest`, in
  // which "$0" is replaced by the number of remaining rows.
  size_t max = std::numeric_limits<size_t>::max();
  std::string rest = "and $0 more rows";
  // If the table is too wide and has to be split, each part repeats the first
  // `key_columns` columns.
  size_t key_columns = 1;
  // If true, the text output stacks the cells of a row, which suits long cells.
  // The first two cells share a line. Every other cell follows on a line of its
  // own, after its label.
  bool is_stacked = false;
};

// Returns a table of the given rows.
AnswerTable TableOf(std::vector<AnswerTable::Column> columns,
                    std::vector<std::vector<Value>> rows);

class Answer {
 public:
  // Adds a field for programs and people. People read `said` if it is given,
  // and the value otherwise.
  void Add(std::string key, std::string label, const Value& value);
  void Add(std::string key, std::string label, Json data, const Value& said);
  // Add data for programs only: a field, or a list whose entries are created
  // one by one.
  void AddData(std::string key, Json data);
  void AddList(std::string key, size_t count,
               std::function<Json(size_t)> entry);
  // Adds a field for people only. A field without a label continues the
  // previous field.
  void Say(std::string label, const Value& value);
  // Adds a line for people.
  void SayLine(const Value& line);
  // Adds the title of the answer: a field in text, a heading in Markdown.
  void AddTitle(std::string key, std::string label, const Value& title);
  void AddHeading(const Value& heading);
  void AddParagraph(const Value& paragraph);
  // Adds a table. Programs get a list under `key`, unless `key` is empty.
  // People get a table if there are rows and at least one column has a label.
  void AddTable(AnswerTable table, std::string key = "");
  // In Markdown, puts the parts that follow into a collapsible section with
  // this title. Has no effect in other formats.
  void BeginDetails(const Value& title);

  // Returns the answer as text, JSON, Markdown or CSV. Text is laid out to fit
  // the screen. If the command has read a model, the JSON also contains the
  // number of tensors that have an open extent, and if it has read a recording
  // with lost events, their number (notes.h).
  std::string Render(Format format) const;
  std::string ToText(const TextLimits& limits) const;
  std::string ToJson() const;
  // Returns Markdown of at most 65,535 characters, the limit for a comment on
  // GitHub. Rows of tables that do not fit are left out. The result is longer
  // only if the parts other than tables exceed the limit by themselves.
  std::string ToMarkdown() const;
  // Returns the first table in the format of RFC 4180, except that lines end in
  // LF.
  std::string ToCsv() const;

 private:
  // The order of the enumerators matters. A blank line comes before and after
  // each part of kind kHeading or later in text, and of kind kTitle or later in
  // Markdown.
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
    // Creates the entries of a part that was added by AddList.
    std::function<Json(size_t)> entry;
  };

  void AddPart(Kind kind, std::string label, const Value& said);
  // Returns the parts that people see.
  std::vector<const Part*> PartsForPeople() const;

  std::vector<Part> parts_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_ANSWER_H_
