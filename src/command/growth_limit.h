// SPDX-License-Identifier: Apache-2.0
// How much larger than OLD a plan may be: a number of bytes, or a share of OLD.
#ifndef STOWAGE_SRC_COMMAND_GROWTH_LIMIT_H_
#define STOWAGE_SRC_COMMAND_GROWTH_LIMIT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::cli {

struct GrowthLimit {
  std::string text;  // as it was written
  // `share` / `unit` percent of OLD, or so many bytes.
  bool is_share = false;
  uint64_t share = 0;
  uint64_t unit = 1;  // at most 10^6
  size_t bytes = 0;
};

// "5%", "2.5%" with up to six decimals, "64KiB", "0". Error: InvalidArgument.
absl::StatusOr<GrowthLimit> ParseGrowthLimit(absl::string_view text);

// Compares `change` bytes, from OLD in either direction, with the limit:
// returns 1 if they are more, 0 if they are exactly the limit and -1 if they
// are less. The comparison is exact.
int CompareToLimit(const GrowthLimit& limit, size_t old_total, size_t change);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_GROWTH_LIMIT_H_
