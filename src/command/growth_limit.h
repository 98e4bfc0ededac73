// SPDX-License-Identifier: Apache-2.0
// Parses and applies limits on the growth of a plan relative to the plan OLD. A
// limit is a number of bytes or a percentage of OLD.
#ifndef STOWAGE_SRC_COMMAND_GROWTH_LIMIT_H_
#define STOWAGE_SRC_COMMAND_GROWTH_LIMIT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::cli {

struct GrowthLimit {
  std::string text;  // the text is as the user wrote it
  // If `is_share` is true, the limit is `share` / `unit` percent of OLD.
  // Otherwise, the limit is `bytes`.
  bool is_share = false;
  uint64_t share = 0;
  uint64_t unit = 1;  // it is at most 10^6
  size_t bytes = 0;
};

// Parses a limit: a percentage with at most six decimals, such as "5%" or
// "2.5%", or a size, such as "64KiB" or "0". Error: InvalidArgument.
absl::StatusOr<GrowthLimit> ParseGrowthLimit(absl::string_view text);

// Compares `change`, the number of bytes by which a plan is larger or smaller
// than OLD, with the limit. Returns 1 if the change is above the limit, 0 if it
// equals the limit, and -1 if it is below the limit. The comparison is exact.
int CompareToLimit(const GrowthLimit& limit, size_t old_total, size_t change);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_GROWTH_LIMIT_H_
