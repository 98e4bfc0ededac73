// SPDX-License-Identifier: Apache-2.0
// stowage diff of plans, traces and models, and its report.
#ifndef STOWAGE_SRC_COMMAND_DIFF_PLANS_H_
#define STOWAGE_SRC_COMMAND_DIFF_PLANS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/types/optional.h"
#include "src/command/growth_limit.h"
#include "src/command/inputs.h"
#include "src/command/options.h"
#include "src/command/report_format.h"
#include "src/command/verb.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"

namespace stowage::cli {

struct PlanDiffArgs {
  std::string old_path;
  std::string new_path;
  std::string strategy;  // empty for one that supports both problems
  PlanKind kind = PlanKind::kOffsets;
  bool has_kind = false;  // it was asked for
  SearchArgs search;
  views::MatchBy match = views::MatchBy::kWhatIsKnown;
  uint64_t top = 10;
  std::string marker;  // empty for the name of NEW
  absl::optional<GrowthLimit> fail_above;
  absl::optional<GrowthLimit> quiet_below;
  ReportFormat format = ReportFormat::kText;
  InputOptions trace;
};

struct PlanDiffReport {
  const PlanDiffArgs* args = nullptr;
  views::PlanView old_view;
  views::PlanView new_view;
  views::PlanDiff diff;
  // Of the first rows: the total of NEW, planned by the strategy, with that one
  // change reverted; nothing where it cannot be.
  std::vector<absl::optional<size_t>> reverted;
  // NEW, planned by the strategy.
  absl::optional<size_t> replanned_total;
  bool has_failed = false;  // --fail-above
};

Outcome RunPlanDiff(const PlanDiffArgs& asked);

std::string PlanDiffText(const PlanDiffReport& report);
// At most 65,535 characters, as a comment on GitHub may have.
std::string PlanDiffMarkdown(const PlanDiffReport& report);
std::string PlanDiffJson(const PlanDiffReport& report);

// Parts of both texts.

// "+18874368", "-12", "0".
std::string SignedBytes(absl::int128 bytes, ReportFormat format);
// "+9.9 %", "-0.3 %", "+<0.1 %"; empty where OLD is 0.
std::string SignedPercent(size_t old_total, size_t new_total);
// Returns whether a lower bound is not the bytes live at the peak.
bool HasOtherBound(const views::PlanDiff& diff);
// Where the peak was and is.
std::string PeakSentence(const PlanDiffReport& report, ReportFormat format);
// The cells of rows [begin, end) of the account.
std::string DiffTable(const PlanDiffReport& report, size_t begin, size_t end,
                      ReportFormat format);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_DIFF_PLANS_H_
