// SPDX-License-Identifier: Apache-2.0
// The report of stowage explain as text, Markdown and JSON.
#ifndef STOWAGE_SRC_COMMAND_EXPLAIN_REPORT_H_
#define STOWAGE_SRC_COMMAND_EXPLAIN_REPORT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "src/command/report_format.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"
#include "stowage/trace.h"

namespace stowage::cli {

// Totals of new plans without one tensor each.
struct ReplannedTotals {
  std::string strategy;
  size_t total = 0;  // with all tensors
  std::vector<size_t> records;
  std::vector<size_t> totals;  // by entry of `records`
};

struct ExplainReport {
  std::string input;
  size_t top = 0;  // rows of a table, at most
  // With a plan its view; without one only the trace, the kind and the bound.
  bool has_plan = false;
  views::PlanView view;
  // Without a plan only `breadth`.
  views::PlanExplanation why;
  std::string why_bound_differs;
  absl::optional<ReplannedTotals> replanned;
};

// Of kText or kMarkdown.
std::string ExplainText(const ExplainReport& report, ReportFormat format);

// One document.
std::string ExplainJson(const ExplainReport& report);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_EXPLAIN_REPORT_H_
