// What `stowage compare` finds out, and the table that shows it.
#ifndef STOWAGE_SRC_CLI_COMPARE_H_
#define STOWAGE_SRC_CLI_COMPARE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/planner.h"

namespace stowage::cli {

// One strategy on one input.
struct ComparedPlan {
  std::string strategy;
  PlanKind kind = PlanKind::kOffsets;
  absl::optional<size_t> total_size;  // nothing: there is no plan
  SolutionStatus status = SolutionStatus::kFeasible;
  bool gave_up = false;  // without a plan: at a limit; or else it refused
  std::string reason;    // why there is no plan
  absl::Duration time;

  // That of the plan, or "gave_up" or "unsupported".
  absl::string_view StatusName() const {
    if (total_size) return SolutionStatusName(status);
    return gave_up ? "gave_up" : "unsupported";
  }
};

// One input, with all its plans.
struct ComparedInput {
  std::string name;
  size_t records = 0;
  size_t naive_size = 0;
  size_t offsets_bound = 0;
  size_t objects_bound = 0;
  std::vector<ComparedPlan> plans;  // by kind, then strategy, as asked for

  size_t LowerBound(PlanKind kind) const {
    return kind == PlanKind::kOffsets ? offsets_bound : objects_bound;
  }
};

// Markdown tables that are aligned as plain text too: for one input a row per
// strategy, for several a row per input; nothing for none. All inputs have the
// same strategies.
std::string CompareText(absl::Span<const ComparedInput> inputs,
                        absl::Span<const PlanKind> kinds);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_CLI_COMPARE_H_
