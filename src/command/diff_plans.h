// SPDX-License-Identifier: Apache-2.0
// Runs stowage diff on plans, traces and models, and reports the result.
#ifndef STOWAGE_SRC_COMMAND_DIFF_PLANS_H_
#define STOWAGE_SRC_COMMAND_DIFF_PLANS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/growth_limit.h"
#include "src/command/inputs.h"
#include "src/command/options.h"
#include "src/command/verb.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"

namespace stowage::cli {

struct PlanDiffArgs {
  std::string old_path;
  std::string new_path;
  // The strategy to plan with. If it is empty, a strategy is chosen that
  // supports both problems.
  std::string strategy;
  PlanKind kind = PlanKind::kOffsets;
  bool has_kind = false;  // --kind was given
  SearchArgs search;
  views::MatchBy match = views::MatchBy::kWhatIsKnown;
  uint64_t top = 10;
  std::string marker;  // empty: the name of NEW is used
  absl::optional<GrowthLimit> fail_above;
  absl::optional<GrowthLimit> quiet_below;
  Format format = Format::kText;
  InputOptions trace;
};

struct PlanDiffReport {
  const PlanDiffArgs* args = nullptr;
  views::PlanView old_view;
  views::PlanView new_view;
  views::PlanDiff diff;
  // Contains an entry for each of the first rows: the total of NEW when the
  // strategy plans it with only the change of this row reverted, or nullopt if
  // this change cannot be reverted.
  std::vector<absl::optional<size_t>> reverted;
  // The total of NEW when the strategy plans it with no change reverted.
  absl::optional<size_t> replanned_total;
  bool has_failed = false;  // the limit of --fail-above is exceeded
};

Outcome RunPlanDiff(const PlanDiffArgs& asked);

// Returns the answer, which refers to the report.
Answer PlanDiffAnswer(const PlanDiffReport& report);

// Formats the change from OLD to NEW in percent of OLD: "+9.9 %", "-0.3 %" or
// "+<0.1 %". Returns an empty string if OLD has 0 bytes.
std::string SignedPercent(size_t old_total, size_t new_total);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_DIFF_PLANS_H_
