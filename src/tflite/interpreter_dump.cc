// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/interpreter_dump.h"

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"

namespace stowage {
namespace {

// The beginning of the header line of a table of tensors.
constexpr absl::string_view kTableHead = "Tensor  ID Name";
constexpr absl::string_view kSubgraph = "-----------Subgraph-";

// Returns the text after the last `mark`, and removes both the mark and this
// text from *text. Returns nullopt if there is no mark.
absl::optional<absl::string_view> CutAtLast(absl::string_view mark,
                                            absl::string_view* text) {
  const size_t at = text->rfind(mark);
  if (at == absl::string_view::npos) return absl::nullopt;
  const absl::string_view rest = text->substr(at + mark.size());
  *text = text->substr(0, at);
  return rest;
}

// Removes the last word of *text and returns the word.
absl::string_view CutLastWord(absl::string_view* text) {
  *text = absl::StripTrailingAsciiWhitespace(*text);
  const size_t space = text->rfind(' ');
  const size_t begin = space == absl::string_view::npos ? 0 : space + 1;
  const absl::string_view word = text->substr(begin);
  *text = text->substr(0, begin);
  return word;
}

// Parses a line of a table from its end, because names may contain any
// characters.
absl::optional<DumpedTensor> ParseTensorLine(absl::string_view line) {
  DumpedTensor tensor;
  if (!absl::ConsumePrefix(&line, "Tensor ")) return absl::nullopt;
  line = absl::StripLeadingAsciiWhitespace(line);
  const size_t id_end = line.find(' ');
  if (id_end == absl::string_view::npos ||
      !absl::SimpleAtoi(line.substr(0, id_end), &tensor.tensor)) {
    return absl::nullopt;
  }
  line.remove_prefix(id_end);
  line = absl::StripTrailingAsciiWhitespace(line);
  if (!absl::ConsumeSuffix(&line, ")")) return absl::nullopt;
  const absl::optional<absl::string_view> range = CutAtLast(" [", &line);
  if (!range || !CutAtLast(" / ", &line)) return absl::nullopt;
  if (!absl::SimpleAtoi(CutLastWord(&line), &tensor.bytes)) {
    return absl::nullopt;
  }
  const absl::string_view memory = CutLastWord(&line);
  const std::vector<absl::string_view> ends = absl::StrSplit(*range, ", ");
  if (ends.size() != 2) return absl::nullopt;
  if (memory != "kTfLiteArenaRw" || ends[0] == "-1") return tensor;
  size_t begin = 0;
  if (!absl::SimpleAtoi(ends[0], &begin)) return absl::nullopt;
  tensor.offset = begin;
  return tensor;
}

absl::Status RefuseLine(absl::string_view name, size_t line,
                        absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(name, ":", line, ": ", why));
}

}  // namespace

bool IsInterpreterDump(absl::string_view text) {
  return absl::StrContains(text, kTableHead);
}

absl::StatusOr<std::vector<DumpedTensor>> ParseInterpreterDump(
    absl::string_view text, absl::string_view name) {
  std::vector<DumpedTensor> tensors;
  std::set<std::pair<size_t, size_t>> seen;
  size_t subgraph = 0;
  bool is_table = false;
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    absl::string_view rest = absl::StripAsciiWhitespace(line);
    if (absl::StartsWith(rest, kTableHead)) {
      is_table = true;
      continue;
    }
    if (absl::ConsumePrefix(&rest, kSubgraph)) {
      if (!absl::SimpleAtoi(rest.substr(0, rest.find(' ')), &subgraph)) {
        return RefuseLine(name, number,
                          "no subgraph number; expected one after 'Subgraph-'");
      }
      is_table = false;
      continue;
    }
    is_table = is_table && absl::StartsWith(rest, "Tensor ");
    if (!is_table) continue;
    absl::optional<DumpedTensor> tensor = ParseTensorLine(rest);
    if (!tensor) {
      return RefuseLine(name, number,
                        "not a tensor; expected its number, name, type, "
                        "memory, bytes, shape and range of offsets");
    }
    tensor->subgraph = subgraph;
    if (!seen.insert({subgraph, tensor->tensor}).second) {
      return RefuseLine(name, number,
                        absl::StrCat("a second line for tensor ",
                                     tensor->tensor, " of subgraph ", subgraph,
                                     "; expected one for each tensor"));
    }
    tensors.push_back(*tensor);
  }
  return tensors;
}

}  // namespace stowage
