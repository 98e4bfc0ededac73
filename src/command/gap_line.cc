// SPDX-License-Identifier: Apache-2.0
#include "src/command/gap_line.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "src/command/text.h"
#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

constexpr size_t kColumns = 20;

// Returns the number of columns that represent the gap. The scale is
// logarithmic, because the gap of a search is large at first, but its last
// bytes matter most. Any gap above 0 gets at least one column.
size_t OpenColumns(size_t gap, size_t first_gap) {
  if (gap == 0) return 0;
  const double open = std::log2(1 + static_cast<double>(gap)) /
                      std::log2(1 + static_cast<double>(first_gap));
  const auto columns = static_cast<size_t>(open * kColumns);
  return std::min(std::max(size_t{1}, columns), kColumns);
}

size_t GapOf(const SearchProgress& progress) {
  return progress.total_size -
         std::min(progress.total_size, progress.lower_bound);
}

}  // namespace

std::string GapLine(const SearchProgress& first, const SearchProgress& now) {
  const size_t open = OpenColumns(GapOf(now), GapOf(first));
  const size_t closed = kColumns - open;
  const auto raised = static_cast<double>(now.lower_bound - first.lower_bound);
  const auto lowered = static_cast<double>(first.total_size - now.total_size);
  size_t from_left = 0;
  if (raised > 0) {
    from_left = static_cast<size_t>(static_cast<double>(closed) * raised /
                                    (raised + lowered));
  }
  const size_t from_right = closed - from_left;
  const absl::optional<double> ratio = Ratio(now.total_size, now.lower_bound);
  std::string gap;
  if (ratio && *ratio < 10) {
    gap = absl::StrFormat(" +%.2f %%", (*ratio - 1) * 100);
  } else if (ratio) {
    gap = absl::StrFormat(", %.3g times the bound", *ratio);
  }
  return absl::StrCat("bound ", now.lower_bound, " [",
                      std::string(from_left, '>'), std::string(open, ' '),
                      std::string(from_right, '<'), "] ", now.total_size,
                      " plan", gap);
}

}  // namespace stowage::cli
