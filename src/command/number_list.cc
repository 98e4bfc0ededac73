// SPDX-License-Identifier: Apache-2.0
#include "src/command/number_list.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "src/command/options.h"

namespace stowage::cli {

absl::StatusOr<std::vector<NumberRange>> ParseNumberList(
    absl::string_view text) {
  std::vector<NumberRange> ranges;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, '-');
    const absl::StatusOr<uint64_t> first = ParseNumber(ends.front());
    const absl::StatusOr<uint64_t> last = ParseNumber(ends.back());
    if (part.empty() || ends.size() > 2 || !first.ok() || !last.ok() ||
        *first > *last) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", part, "'; expected numbers such as 0,3,5-9"));
    }
    ranges.push_back({*first, *last});
  }
  return ranges;
}

absl::StatusOr<std::vector<size_t>> NumbersOf(
    const std::vector<NumberRange>& ranges, size_t count) {
  std::vector<size_t> numbers;
  for (const NumberRange& range : ranges) {
    if (range.last >= count) {
      return absl::InvalidArgumentError(absl::StrCat(
          "there is no ", range.last, "; expected less than ", count));
    }
    for (size_t number = range.first; number <= range.last; ++number) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

}  // namespace stowage::cli
