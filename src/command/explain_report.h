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

// The totals of new plans of the trace. Each of these plans, except the first,
// leaves out one tensor.
struct ReplannedTotals {
  std::string strategy;
  // The total of the plan with all tensors.
  size_t total = 0;
  std::vector<size_t> records;
  // `totals[k]` is the total of the plan without the tensor `records[k]`.
  std::vector<size_t> totals;
};

struct ExplainReport {
  std::string input;
  size_t top = 0;  // limits the rows of a table
  // If there is a plan, `view` is the view of the plan. Otherwise `view` has
  // only the trace, the kind and the bound.
  bool has_plan = false;
  views::PlanView view;
  // If there is no plan, only the field `breadth` is set.
  views::PlanExplanation why;
  std::string why_bound_differs;
  absl::optional<ReplannedTotals> replanned;
  // The pairs of records that add most to the cost of the plan, because they
  // share bytes. For each pair, the list has the total of a plan in which this
  // pair adds nothing. The list is empty unless new plans were made.
  std::vector<views::FreedPair> freed;
};

// Returns the answer. The answer refers to the report, which must outlive it.
Answer ExplainAnswer(const ExplainReport& report);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_EXPLAIN_REPORT_H_
