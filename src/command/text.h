// SPDX-License-Identifier: Apache-2.0
// Numbers for people. Tables and lines that fit the terminal are in layout.h.
#ifndef STOWAGE_SRC_COMMAND_TEXT_H_
#define STOWAGE_SRC_COMMAND_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/base/text.h"

namespace stowage::cli {

// "1 record", "2 records".
std::string Count(size_t count, absl::string_view noun);

// "512 bytes", "6021120 bytes (5.74 MiB)": exact, and easy to grasp.
std::string FormatBytes(size_t bytes);

// Three digits and a unit: "1.23 us", "45.6 ms", "789 s".
std::string FormatTime(absl::Duration time);
// The same in seven columns, so that only digits differ between runs.
std::string TimeCell(absl::Duration time);

// How many times `bound` is `total`; 1 where both are 0, nothing where only the
// bound is.
absl::optional<double> Ratio(size_t total, size_t bound);

// "1.0234", or "-" for nothing.
std::string FormatRatio(absl::optional<double> ratio);

// Text from files and command lines is printed through this.
using stowage::OneLine;

// "name" padded to a column, then the value and a line end.
std::string Field(absl::string_view name, absl::string_view value);

// The field "not counted" of an arena: the operators whose memory there are no
// facts about; empty if there are none.
std::string NotCounted(const std::vector<std::string>& operators);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_TEXT_H_
