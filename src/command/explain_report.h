// SPDX-License-Identifier: Apache-2.0
// Formats the report of stowage explain.
#ifndef STOWAGE_SRC_COMMAND_EXPLAIN_REPORT_H_
#define STOWAGE_SRC_COMMAND_EXPLAIN_REPORT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/free_pairs.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"

namespace stowage::cli {

// The totals of new plans of the trace. The first plan has all tensors; each of
// the other plans leaves out one tensor.
struct ReplannedTotals {
  std::string strategy;
  // The total of the plan with all tensors.
  size_t total = 0;
  std::vector<size_t> records;
  // `totals[k]` is the total of the plan without tensor `records[k]`.
  std::vector<size_t> totals;
};

struct ExplainReport {
  std::string input;
  size_t top = 0;  // limits the rows of a table
  // If there is a plan, `view` is the view of the plan. Otherwise, `view` has
  // only the trace, the kind and the bound.
  bool has_plan = false;
  views::PlanView view;
  // If there is no plan, only the field `breadth` of `why` is set.
  views::PlanExplanation why;
  std::string why_bound_differs;
  absl::optional<ReplannedTotals> replanned;
  // The pairs of records that add most to the cost of the plan by sharing
  // bytes, each with the total of a plan in which this pair adds nothing. Empty
  // unless new plans were made.
  std::vector<views::FreedPair> freed;
};

// Returns the answer, which refers to `report`. The report must outlive the
// answer.
Answer ExplainAnswer(const ExplainReport& report);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_EXPLAIN_REPORT_H_
