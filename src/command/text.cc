// SPDX-License-Identifier: Apache-2.0
#include "src/command/text.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

std::string ThreeDigits(double value) {
  if (value < 9.995) return absl::StrFormat("%.2f", value);
  if (value < 99.95) return absl::StrFormat("%.1f", value);
  return absl::StrFormat("%.0f", value);
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

absl::Duration DurationOf(int64_t nanoseconds) {
  return nanoseconds == kNoTimeLimit ? absl::InfiniteDuration()
                                     : absl::Nanoseconds(nanoseconds);
}

std::string FormatTime(absl::Duration time) {
  const double micros = absl::ToDoubleMicroseconds(time);
  if (micros < 999.5) return absl::StrCat(ThreeDigits(micros), " us");
  if (micros < 999.5e3) return absl::StrCat(ThreeDigits(micros / 1e3), " ms");
  return absl::StrCat(ThreeDigits(micros / 1e6), " s");
}

std::string TimeCell(absl::Duration time) {
  return absl::StrFormat("%7s", FormatTime(time));
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

}  // namespace stowage::cli
