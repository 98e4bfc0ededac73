// SPDX-License-Identifier: Apache-2.0
// Runs `stowage diff` on plans, traces and models, and reports the result.
#ifndef STOWAGE_SRC_COMMAND_DIFF_PLANS_H_
#define STOWAGE_SRC_COMMAND_DIFF_PLANS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/optional.h"
#include "src/command/growth_limit.h"
#include "src/command/inputs.h"
#include "src/command/options.h"
#include "src/command/verb.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/problem.h"

namespace stowage::cli {

struct PlanDiffArgs {
  std::string old_path;
  std::string new_path;
  // The strategy to plan with. If empty, a strategy that supports both problems
  // is chosen.
  std::string strategy;
  PlanKind kind = PlanKind::kOffsets;
  bool has_kind = false;  // says whether --kind was given
  SearchArgs search;
  views::MatchBy match = views::MatchBy::kWhatIsKnown;
  uint64_t top = 10;
  // The name in the HTML comment with which a script can find the answer. If
  // empty, the name of NEW is used.
  std::string marker;
  absl::optional<GrowthLimit> fail_above;
  absl::optional<GrowthLimit> quiet_below;
  Format format = Format::kText;
  InputOptions trace;
};

Outcome RunPlanDiff(const PlanDiffArgs& asked);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_DIFF_PLANS_H_
