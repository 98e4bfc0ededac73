// SPDX-License-Identifier: Apache-2.0
// Formats numbers for users. For tables and lines that fit the terminal, use
// layout.h.
#ifndef STOWAGE_SRC_COMMAND_TEXT_H_
#define STOWAGE_SRC_COMMAND_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "stowage/base/text.h"

namespace stowage::cli {

// Returns "1 record" or "2 records".
std::string Count(size_t count, absl::string_view noun);

// Returns the exact number of bytes. If the number is large, a rounded number
// follows: "512 bytes", "6021120 bytes (5.74 MiB)".
std::string FormatBytes(size_t bytes);

// Converts a number of nanoseconds, the unit of the library, to a duration.
// Returns an infinite duration for kNoTimeLimit.
absl::Duration DurationOf(int64_t nanoseconds);

// Returns three digits and a unit: "1.23 us", "45.6 ms", "789 s".
std::string FormatTime(absl::Duration time);
// Returns the text of FormatTime, padded to seven columns so that only digits
// differ between runs.
std::string TimeCell(absl::Duration time);

// Returns total / bound. Returns 1 if both are 0, and nullopt if only the bound
// is 0.
absl::optional<double> Ratio(size_t total, size_t bound);

// Returns "1.0234", or "-" for nullopt.
std::string FormatRatio(absl::optional<double> ratio);

// Formats text on one line. All text from files and command lines must be
// printed through this function, since it may contain line ends and control
// characters.
using stowage::OneLine;

// Returns a line of text that consists of `name`, padded to a fixed width, and
// `value`.
std::string Field(absl::string_view name, absl::string_view value);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_TEXT_H_
