// SPDX-License-Identifier: Apache-2.0
#include "src/command/compare_cells.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/compare_rows.h"
#include "src/command/text.h"
#include "stowage/compare.h"
#include "stowage/solution.h"

namespace stowage::cli {
namespace {

// Formats a ratio of 2 or more without the sign "×" in front of it.
std::string Multiple(double ratio, size_t columns) {
  const bool is_narrow = columns < 3;
  if (!is_narrow && ratio < 9.95) return absl::StrFormat("%.1f", ratio);
  if (ratio < (is_narrow ? 99.5 : 999.5)) return absl::StrFormat("%.0f", ratio);
  int exponent = static_cast<int>(std::floor(std::log10(ratio)));
  double digit = std::round(ratio / std::pow(10, exponent));
  if (digit > 9) {
    ++exponent;
    digit = 1;
  }
  if (is_narrow || exponent > 9) return absl::StrCat("e", exponent);
  return absl::StrFormat("%.0fe%d", digit, exponent);
}

}  // namespace

std::string ShortRatio(absl::optional<double> ratio, size_t columns,
                       bool ascii) {
  if (!ratio) return "inf";
  const bool is_narrow = columns < 4;
  const double percent = (*ratio - 1) * 100;
  if (percent > 0 && percent < 0.05) return is_narrow ? "0.0" : "<0.1";
  if (percent < 9.95 || (!is_narrow && percent < 99.95)) {
    return absl::StrFormat("%.1f", std::max(percent, 0.0));
  }
  if (percent < 99.5) return absl::StrFormat("%.0f", percent);
  std::string multiple = Multiple(*ratio, columns - 1);
  // From 10^10 on, a narrow cell has no room for the sign.
  if (multiple.size() >= columns) return multiple;
  return absl::StrCat(ascii ? "x" : "×", multiple);
}

std::string ShortCell(const ComparedPlan& plan,
                      absl::Span<const ComparedPlan> plans, size_t bound,
                      bool ascii) {
  if (!plan.total_size) return ascii ? "-" : "–";
  const bool is_optimal = plan.status == SolutionStatus::kOptimal;
  if (is_optimal && *plan.total_size == bound) return "=";
  const bool is_any_optimal =
      std::any_of(plans.begin(), plans.end(), [](const ComparedPlan& other) {
        return other.total_size && other.status == SolutionStatus::kOptimal;
      });
  const bool is_best = !is_any_optimal && MeritOf(plan) == BestMerit(plans);
  const char* const mark = is_optimal ? "=" : is_best ? "*" : "";
  const size_t columns = is_optimal || is_best ? 3 : 4;
  return absl::StrCat(
      ShortRatio(Ratio(*plan.total_size, bound), columns, ascii), mark);
}

}  // namespace stowage::cli
