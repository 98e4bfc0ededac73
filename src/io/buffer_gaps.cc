// SPDX-License-Identifier: Apache-2.0
#include "src/io/buffer_gaps.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "src/base/str_split.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

struct Gap {
  TaskId first = 0;
  TaskId last = 0;  // inclusive
  // The bytes [begin, end) that the buffer holds during the gap, or 0 and 0 if
  // it holds none.
  size_t begin = 0;
  size_t end = 0;
};

Status GapError(string_view gap, string_view what, string_view expected) {
  return InvalidArgumentError(
      StrCat("gap ", Quoted(gap), what, "; expected ", expected));
}

// Parses two numbers that are separated by `separator`, such as "3-8" for '-'.
optional<std::pair<size_t, size_t>> ParsePair(string_view text,
                                              char separator) {
  const std::vector<string_view> parts = StrSplit(text, separator);
  if (parts.size() != 2) return nullopt;
  std::pair<size_t, size_t> pair;
  for (const auto& [part, number] :
       {std::pair(parts[0], &pair.first), std::pair(parts[1], &pair.second)}) {
    if (!std::all_of(part.begin(), part.end(), ascii_isdigit) ||
        !SimpleAtoi(part, number)) {
      return nullopt;
    }
  }
  return pair;
}

StatusOr<Gap> ParseGap(const TensorUsageRecord<size_t>& buffer,
                       string_view text, bool is_inclusive, size_t shift) {
  const size_t sign = text.find('@');
  const auto tasks = ParsePair(text.substr(0, sign), '-');
  if (!tasks) {
    return GapError(text, "", R"(two tasks, as in "7-9" or "7-9@0:64")");
  }
  const bool is_empty = is_inclusive ? tasks->second < tasks->first
                                     : tasks->second <= tasks->first;
  if (is_empty) {
    return GapError(text, " has no task", "its first task before its end");
  }
  const size_t last_of_file = is_inclusive ? tasks->second : tasks->second - 1;
  const optional<size_t> last = CheckedAdd(last_of_file, shift);
  Gap gap;
  gap.first = last ? tasks->first + shift : 0;
  gap.last = last.value_or(0);
  if (!last || gap.first < buffer.first_task || gap.last > buffer.last_task) {
    return GapError(text, " is outside the lifetime of its buffer",
                    "tasks of its interval");
  }
  if (sign == string_view::npos) return gap;
  const auto bytes = ParsePair(text.substr(sign + 1), ':');
  if (!bytes || bytes->first >= bytes->second ||
      bytes->second > buffer.tensor_size) {
    return GapError(text, " has no valid byte range",
                    StrCat("begin and end of the bytes that stay, of ",
                           buffer.tensor_size));
  }
  gap.begin = bytes->first;
  gap.end = bytes->second;
  return gap;
}

StatusOr<std::vector<Gap>> ParseGaps(const TensorUsageRecord<size_t>& buffer,
                                     string_view text, bool is_inclusive,
                                     size_t shift) {
  std::vector<Gap> gaps;
  for (const string_view one : StrSplit(text, ByAnyChar(" \t"), SkipEmpty())) {
    const StatusOr<Gap> gap = ParseGap(buffer, one, is_inclusive, shift);
    if (!gap.ok()) return gap.status();
    gaps.push_back(*gap);
  }
  std::sort(gaps.begin(), gaps.end(),
            [](const Gap& a, const Gap& b) { return a.first < b.first; });
  for (size_t k = 1; k < gaps.size(); ++k) {
    if (gaps[k].first > gaps[k - 1].last) continue;
    return InvalidArgumentError(StrCat("two gaps contain task ", gaps[k].first,
                                       "; expected disjoint gaps"));
  }
  return gaps;
}

}  // namespace

StatusOr<std::vector<BufferPart>> PartsOfBuffer(
    const TensorUsageRecord<size_t>& buffer, string_view gaps,
    bool is_inclusive, size_t shift) {
  const StatusOr<std::vector<Gap>> parsed =
      ParseGaps(buffer, gaps, is_inclusive, shift);
  if (!parsed.ok()) return parsed.status();
  std::vector<BufferPart> parts;
  const auto add = [&](TaskId first, TaskId last, size_t begin, size_t end) {
    parts.push_back({{end - begin, first, last}, begin});
  };
  TaskId next = buffer.first_task;
  bool is_over = false;
  for (const Gap& gap : *parsed) {
    if (gap.first > next) add(next, gap.first - 1, 0, buffer.tensor_size);
    if (gap.end > 0) add(gap.first, gap.last, gap.begin, gap.end);
    is_over = gap.last == buffer.last_task;
    next = gap.last + 1;
  }
  if (!is_over) add(next, buffer.last_task, 0, buffer.tensor_size);
  if (!parts.empty()) return parts;
  return InvalidArgumentError(
      "gaps cover the whole lifetime of the buffer; expected a task without "
      "one");
}

}  // namespace stowage
