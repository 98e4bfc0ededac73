// SPDX-License-Identifier: Apache-2.0
#include "src/io/buffer_gaps.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/base/text.h"

namespace stowage {
namespace {

struct Gap {
  TaskId first = 0;
  TaskId last = 0;  // inclusive
  // The buffer keeps the bytes [begin, end). It keeps none if both are 0.
  size_t begin = 0;
  size_t end = 0;
};

absl::Status GapError(absl::string_view gap, absl::string_view what,
                      absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("gap ", Quoted(gap), what, "; expected ", expected));
}

// Parses two numbers with a separator between them, such as "3-8" for '-'.
absl::optional<std::pair<size_t, size_t>> ParsePair(absl::string_view text,
                                                    char separator) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, separator);
  if (parts.size() != 2) return absl::nullopt;
  std::pair<size_t, size_t> pair;
  for (const auto& [part, number] :
       {std::pair(parts[0], &pair.first), std::pair(parts[1], &pair.second)}) {
    if (!absl::c_all_of(part, absl::ascii_isdigit) ||
        !absl::SimpleAtoi(part, number)) {
      return absl::nullopt;
    }
  }
  return pair;
}

absl::StatusOr<Gap> ParseGap(const TensorUsageRecord<size_t>& buffer,
                             absl::string_view text, bool is_inclusive) {
  const size_t sign = text.find('@');
  const auto tasks = ParsePair(text.substr(0, sign), '-');
  if (!tasks) {
    return GapError(text, "", R"(two tasks, as in "7-9" or "7-9@0:64")");
  }
  Gap gap;
  gap.first = tasks->first;
  if (is_inclusive ? tasks->second < gap.first : tasks->second <= gap.first) {
    return GapError(text, " has no task", "its first task before its end");
  }
  gap.last = is_inclusive ? tasks->second : tasks->second - 1;
  if (gap.first < buffer.first_task || gap.last > buffer.last_task) {
    return GapError(text, " is outside the lifetime of its buffer",
                    "tasks of its interval");
  }
  if (sign == absl::string_view::npos) return gap;
  const auto bytes = ParsePair(text.substr(sign + 1), ':');
  if (!bytes || bytes->first >= bytes->second ||
      bytes->second > buffer.tensor_size) {
    return GapError(text, " has no such bytes",
                    absl::StrCat("begin and end of those that stay, of ",
                                 buffer.tensor_size));
  }
  gap.begin = bytes->first;
  gap.end = bytes->second;
  return gap;
}

absl::StatusOr<std::vector<Gap>> ParseGaps(
    const TensorUsageRecord<size_t>& buffer, absl::string_view text,
    bool is_inclusive) {
  std::vector<Gap> gaps;
  for (const absl::string_view one :
       absl::StrSplit(text, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
    const absl::StatusOr<Gap> gap = ParseGap(buffer, one, is_inclusive);
    if (!gap.ok()) return gap.status();
    gaps.push_back(*gap);
  }
  absl::c_sort(gaps,
               [](const Gap& a, const Gap& b) { return a.first < b.first; });
  for (size_t k = 1; k < gaps.size(); ++k) {
    if (gaps[k].first > gaps[k - 1].last) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "two gaps have task ", gaps[k].first, "; expected gaps apart"));
  }
  return gaps;
}

}  // namespace

absl::StatusOr<std::vector<BufferPart>> PartsOfBuffer(
    const TensorUsageRecord<size_t>& buffer, absl::string_view gaps,
    bool is_inclusive) {
  const absl::StatusOr<std::vector<Gap>> parsed =
      ParseGaps(buffer, gaps, is_inclusive);
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
  return absl::InvalidArgumentError(
      "gaps cover the whole lifetime of the buffer; expected a task without "
      "one");
}

}  // namespace stowage
