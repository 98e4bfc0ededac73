// SPDX-License-Identifier: Apache-2.0
// Parses lists of nodes or tensors on the command line: "0,3,5-9".
#ifndef STOWAGE_SRC_COMMAND_NUMBER_LIST_H_
#define STOWAGE_SRC_COMMAND_NUMBER_LIST_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::cli {

// The numbers from `first` to `last`, inclusive.
struct NumberRange {
  size_t first = 0;
  size_t last = 0;
};

// Parses a list of ranges. Error: InvalidArgument if the text is not a list of
// ranges.
absl::StatusOr<std::vector<NumberRange>> ParseNumberList(
    absl::string_view text);

// Returns the numbers in the order of the list. Error: InvalidArgument for a
// number at or above `count`.
absl::StatusOr<std::vector<size_t>> NumbersOf(
    const std::vector<NumberRange>& ranges, size_t count);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_NUMBER_LIST_H_
