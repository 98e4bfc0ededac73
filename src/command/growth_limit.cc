// SPDX-License-Identifier: Apache-2.0
#include "src/command/growth_limit.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "src/command/options.h"

namespace stowage::cli {
namespace {

constexpr size_t kMaxDecimals = 6;
constexpr uint64_t kMaxPercent = 1000000;

absl::Status NoLimit(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "'; expected a share such as 5% or a size such as 64KiB"));
}

}  // namespace

absl::StatusOr<GrowthLimit> ParseGrowthLimit(absl::string_view text) {
  GrowthLimit limit;
  limit.text = std::string(text);
  absl::string_view number = text;
  if (!absl::ConsumeSuffix(&number, "%")) {
    const absl::StatusOr<size_t> bytes = ParseSize(text);
    if (!bytes.ok()) return NoLimit(text);
    limit.bytes = *bytes;
    return limit;
  }
  limit.is_share = true;
  const size_t point = number.find('.');
  const absl::string_view decimals =
      point == absl::string_view::npos ? "" : number.substr(point + 1);
  const bool has_decimals = point != absl::string_view::npos;
  if (has_decimals && (decimals.empty() || decimals.size() > kMaxDecimals)) {
    return NoLimit(text);
  }
  const absl::StatusOr<uint64_t> whole = ParseNumber(number.substr(0, point));
  if (!whole.ok() || *whole > kMaxPercent) return NoLimit(text);
  uint64_t rest = 0;
  if (has_decimals) {
    const absl::StatusOr<uint64_t> parsed = ParseNumber(decimals);
    if (!parsed.ok()) return NoLimit(text);
    rest = *parsed;
  }
  for (size_t k = 0; k < decimals.size(); ++k) limit.unit *= 10;
  limit.share = *whole * limit.unit + rest;
  return limit;
}

int CompareToLimit(const GrowthLimit& limit, size_t old_total, size_t change) {
  absl::uint128 actual = change;
  absl::uint128 max = limit.bytes;
  if (limit.is_share) {
    actual *= absl::uint128(limit.unit) * 100;
    max = absl::uint128(old_total) * limit.share;
  }
  if (actual == max) return 0;
  return actual > max ? 1 : -1;
}

}  // namespace stowage::cli
