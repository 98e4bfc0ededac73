// SPDX-License-Identifier: Apache-2.0
#include "src/cli/text.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"

namespace stowage::cli {
namespace {

std::string ThreeDigits(double value) {
  if (value < 9.995) return absl::StrFormat("%.2f", value);
  if (value < 99.95) return absl::StrFormat("%.1f", value);
  return absl::StrFormat("%.0f", value);
}

// Columns that a terminal needs for UTF-8 text, as far as letters go.
size_t Width(absl::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string Count(size_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string FormatBytes(size_t bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB",
                                           "TiB", "PiB", "EiB"};
  std::string text = Count(bytes, "byte");
  if (bytes < 1024) return text;
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  absl::StrAppend(&text, " (", ThreeDigits(value), " ", kUnits[unit], ")");
  return text;
}

std::string FormatTime(absl::Duration time) {
  const double micros = absl::ToDoubleMicroseconds(time);
  if (micros < 999.5) return absl::StrCat(ThreeDigits(micros), " us");
  if (micros < 999.5e3) return absl::StrCat(ThreeDigits(micros / 1e3), " ms");
  return absl::StrCat(ThreeDigits(micros / 1e6), " s");
}

absl::optional<double> Ratio(size_t total, size_t bound) {
  if (total == bound) return 1.0;
  if (bound == 0) return absl::nullopt;
  return static_cast<double>(total) / static_cast<double>(bound);
}

std::string FormatRatio(absl::optional<double> ratio) {
  return ratio ? absl::StrFormat("%.4f", *ratio) : "-";
}

std::string Field(absl::string_view name, absl::string_view value) {
  return absl::StrFormat("%-13s%s\n", name, value);
}

std::string NotCounted(const std::vector<std::string>& operators) {
  if (operators.empty()) return "";
  return Field("not counted",
               OneLine(absl::StrCat("what these keep: ",
                                    absl::StrJoin(operators, ", "))));
}

void Table::AddColumn(std::string title, Align align) {
  rows_[0].push_back(std::move(title));
  aligns_.push_back(align);
}

void Table::AddRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) {
    cell = absl::StrReplaceAll(OneLine(cell), {{"|", "\\|"}});
  }
  rows_.push_back(std::move(cells));
}

std::string Table::ToString() const {
  std::vector<size_t> widths(aligns_.size(), 3);
  for (const std::vector<std::string>& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], Width(row[c]));
    }
  }
  std::string text;
  for (size_t r = 0; r < rows_.size(); ++r) {
    for (size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string& cell = rows_[r][c];
      const std::string space(widths[c] - Width(cell), ' ');
      const bool left = aligns_[c] == Align::kLeft;
      absl::StrAppend(&text, "| ", left ? cell : space, left ? space : cell,
                      " ");
    }
    text += "|\n";
    if (r > 0) continue;
    for (size_t c = 0; c < widths.size(); ++c) {
      const bool left = aligns_[c] == Align::kLeft;
      absl::StrAppend(&text, "|", left ? "-" : "", std::string(widths[c], '-'),
                      left ? "-" : "-:");
    }
    text += "|\n";
  }
  return text;
}

}  // namespace stowage::cli
