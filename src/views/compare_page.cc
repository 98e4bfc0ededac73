// SPDX-License-Identifier: Apache-2.0
#include "stowage/views/compare_page.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/views/assets.h"
#include "src/views/web_text.h"
#include "stowage/compare.h"
#include "stowage/problem.h"

namespace stowage::views {
namespace {

// The sort key of cells without a plan, which sorts them after all cells with a
// plan.
constexpr uint64_t kNoPlanKey = uint64_t{1} << 53;

std::string WebName(absl::string_view text) {
  return EscapeHtml(VisibleText(text));
}

// Formats the number with commas: 12,345,678.
std::string WithCommas(size_t number) {
  std::string text = absl::StrCat(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

// Returns the excess of the total over the bound, in tenths of a percent,
// rounded to the nearest integer. The result is at most 2^53 - 1.
uint64_t ExcessOf(size_t total, size_t bound) {
  if (total <= bound) return 0;
  if (bound == 0) return kNoPlanKey - 1;
  const absl::uint128 tenths =
      (absl::uint128(total - bound) * 1000 + bound / 2) / bound;
  return tenths < kNoPlanKey ? static_cast<uint64_t>(tenths) : kNoPlanKey - 1;
}

// Formats the excess for a cell: "=", "+9.9 %" or "x 2.1".
std::string ExcessCell(size_t total, size_t bound) {
  if (total <= bound) return "=";
  const uint64_t tenths = ExcessOf(total, bound);
  if (tenths == kNoPlanKey - 1) return "far above";
  if (tenths >= 1000) {
    const uint64_t times = (tenths + 1000 + 50) / 100;
    return absl::StrCat("&times;&nbsp;", times / 10, ".", times % 10);
  }
  return absl::StrCat("+", tenths / 10, ".", tenths % 10, "&nbsp;%");
}

// Returns the number of the colour of a cell, which shows how far the plan is
// above the bound: 0 for a plan at the bound, and up to 6 for a plan of at
// least twice the bound.
int HeatOf(uint64_t tenths) {
  constexpr uint64_t kSteps[] = {1, 20, 50, 150, 400, 1000};
  int heat = 0;
  for (const uint64_t step : kSteps) heat += tenths >= step ? 1 : 0;
  return heat;
}

const ComparedPlan* PlanOf(const ComparePageRow& row,
                           const std::string& strategy) {
  for (const ComparedPlan& plan : row.plans) {
    if (plan.strategy == strategy) return &plan;
  }
  return nullptr;
}

std::string TimeCell(absl::Duration time) {
  return EscapeHtml(
      absl::FormatDuration(time < absl::Milliseconds(1)
                               ? absl::Trunc(time, absl::Nanoseconds(100))
                               : absl::Trunc(time, absl::Microseconds(10))));
}

// Returns the line of a cell that shows the cost of the plan and the lower
// bound of the cost, or an empty string if plans of the problem have no cost.
std::string CostLine(const ComparedPlan& plan) {
  if (!plan.cost) return "";
  const std::string cost = absl::StrCat("cost ", WithCommas(*plan.cost));
  if (*plan.cost <= plan.cost_bound) return absl::StrCat(cost, ", least<br>");
  return absl::StrCat(cost, ", bound ", WithCommas(plan.cost_bound), "<br>");
}

std::string PlanCell(const ComparePageRow& row, const std::string& strategy) {
  const ComparedPlan* const plan = PlanOf(row, strategy);
  if (plan == nullptr) {
    return absl::StrCat(R"(<td data-key=")", kNoPlanKey, R"("></td>)");
  }
  if (!plan->total_size) {
    return absl::StrCat(R"(<td data-key=")", kNoPlanKey, R"(">)",
                        WebName(plan->StatusName()), R"(<span class="muted">)",
                        WebName(plan->reason), "</span></td>");
  }
  const size_t bound = std::max(row.lower_bound, plan->lower_bound);
  const uint64_t excess = ExcessOf(*plan->total_size, row.lower_bound);
  const bool is_proved = *plan->total_size == bound && excess > 0;
  return absl::StrCat(
      R"(<td class="number heat)", HeatOf(excess), R"(" data-key=")", excess,
      R"(">)", ExcessCell(*plan->total_size, row.lower_bound),
      is_proved ? ", optimal" : "", R"(<span class="muted">)",
      WithCommas(*plan->total_size), "<br>", CostLine(*plan),
      TimeCell(absl::Nanoseconds(plan->time_ns)), "</span></td>");
}

std::string NumberCell(size_t number) {
  return absl::StrCat(R"(<td class="number" data-key=")", number, R"(">)",
                      WithCommas(number), "</td>");
}

std::string HeadCell(const std::string& title) {
  return absl::StrCat(R"(<th scope="col"><button type="button">)",
                      WebName(title), "</button></th>");
}

std::string CompareTable(const std::vector<const ComparePageRow*>& rows) {
  std::vector<std::string> strategies;
  for (const ComparePageRow* row : rows) {
    for (const ComparedPlan& plan : row->plans) {
      const bool is_known = std::find(strategies.begin(), strategies.end(),
                                      plan.strategy) != strategies.end();
      if (!is_known) strategies.push_back(plan.strategy);
    }
  }
  const std::string kind(PlanKindName(rows[0]->kind));
  std::string html = absl::StrCat(
      R"(<h2 id=")", kind, R"(">Plans of )", kind,
      "</h2>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
      R"(aria-labelledby=")",
      kind, "\">\n<table class=\"sortable\">\n<thead><tr>", HeadCell("Input"),
      HeadCell("Records"), HeadCell("Naive size"), HeadCell("Lower bound"));
  for (const std::string& strategy : strategies) {
    absl::StrAppend(&html, HeadCell(strategy));
  }
  absl::StrAppend(&html, "</tr></thead>\n<tbody>\n");
  for (const ComparePageRow* row : rows) {
    absl::StrAppend(&html, R"(<tr><th scope="row">)", WebName(row->input),
                    "</th>", NumberCell(row->records),
                    NumberCell(row->naive_size), NumberCell(row->lower_bound));
    for (const std::string& strategy : strategies) {
      absl::StrAppend(&html, PlanCell(*row, strategy));
    }
    absl::StrAppend(&html, "</tr>\n");
  }
  absl::StrAppend(&html, "</tbody>\n</table>\n</div>\n");
  return html;
}

}  // namespace

std::string FormatComparePage(absl::Span<const ComparePageRow> rows,
                              const std::string& title) {
  std::string tables;
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    std::vector<const ComparePageRow*> of_kind;
    for (const ComparePageRow& row : rows) {
      if (row.kind == kind) of_kind.push_back(&row);
    }
    if (!of_kind.empty()) absl::StrAppend(&tables, CompareTable(of_kind));
  }
  if (tables.empty()) tables = "<p>Nothing was compared.</p>\n";
  // The placeholders in compare.html are replaced in this order: the policy,
  // the title, the style, the heading, the tables and the script.
  const std::vector<absl::string_view> parts =
      absl::StrSplit(CompareBody().text, "<!-- * -->");
  return absl::StrCat(parts[0], ContentPolicy(CompareScript(), CompareStyle()),
                      parts[1], "<title>", WebName(title), "</title>", parts[2],
                      "<style>", CompareStyle().text, "</style>", parts[3],
                      WebName(title), parts[4], tables, parts[5], "<script>",
                      CompareScript().text, "</script>", parts[6]);
}

}  // namespace stowage::views
