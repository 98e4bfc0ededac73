// SPDX-License-Identifier: Apache-2.0
// The tables of stowage compare that contain every number.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/compare.h"
#include "src/command/compare_rows.h"
#include "src/command/layout.h"
#include "src/command/text.h"
#include "stowage/compare.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::cli {
namespace {

using Align = Table::Align;

// Returns the marks of a plan: "=" if it is optimal, and "*" if it is the best.
// A space takes the place of a missing mark, so that numbers stay aligned.
std::string Marks(const ComparedPlan& plan, const absl::optional<Merit>& best) {
  const bool optimal = plan.status == SolutionStatus::kOptimal;
  return absl::StrCat(" ", optimal ? "=" : " ",
                      MeritOf(plan) == best ? "*" : " ");
}

// Adds cells with the cost and the bytes of each pool.
void AddCostCells(const ComparedInput& input, const ComparedPlan& plan,
                  std::vector<std::string>* row) {
  row->push_back(plan.cost ? absl::StrCat(*plan.cost) : "-");
  for (size_t p = 0; p < input.pools.size(); ++p) {
    row->push_back(p < plan.pool_sizes.size() ? absl::StrCat(plan.pool_sizes[p])
                                              : "-");
  }
}

std::vector<std::string> SizeCells(const ComparedInput& input, PlanKind kind,
                                   absl::Span<const size_t> order) {
  const absl::Span<const ComparedPlan> plans = PlansOf(input, kind);
  const absl::optional<Merit> best = BestMerit(plans);
  std::vector<std::string> cells;
  for (const size_t s : order) {
    const ComparedPlan& plan = plans[s];
    if (!plan.total_size) {
      cells.emplace_back(plan.StatusName());
      continue;
    }
    const auto ratio = Ratio(*plan.total_size, input.LowerBound(kind));
    cells.push_back(absl::StrCat(*plan.total_size, " ", FormatRatio(ratio),
                                 Marks(plan, best)));
  }
  return cells;
}

// Returns a table with a row for each input, followed by a row with the means
// and a row with the numbers of optimal plans.
std::string SizeTable(absl::Span<const ComparedInput> inputs, PlanKind kind) {
  Table table;
  table.AddColumn("input", Align::kLeft);
  table.AddColumn("records", Align::kRight);
  table.AddColumn("lower bound", Align::kRight);
  std::vector<std::string> means = {"geometric mean", "", ""};
  std::vector<std::string> optimals = {"optimal", "", ""};
  const absl::Span<const ComparedPlan> strategies = PlansOf(inputs[0], kind);
  const std::vector<size_t> order = BestFirst(inputs, kind);
  for (const size_t s : order) {
    table.AddColumn(strategies[s].strategy, Align::kRight);
    means.push_back(
        absl::StrCat(FormatRatio(GeometricMean(inputs, kind, s)), "   "));
    const auto optimal =
        std::count_if(inputs.begin(), inputs.end(), [&](const auto& input) {
          return PlansOf(input, kind)[s].status == SolutionStatus::kOptimal;
        });
    optimals.push_back(absl::StrCat(optimal, "/", inputs.size(), "   "));
  }
  const std::vector<std::string> names = ShortNames(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<std::string> row = {names[i], absl::StrCat(inputs[i].records),
                                    absl::StrCat(inputs[i].LowerBound(kind))};
    for (std::string& cell : SizeCells(inputs[i], kind, order)) {
      row.push_back(std::move(cell));
    }
    table.AddRow(std::move(row));
  }
  table.AddRow(std::move(means));
  table.AddRow(std::move(optimals));
  return table.ToMarkdown();
}

// Returns a table with a row for each input, followed by a row with the sums.
std::string TimeTable(absl::Span<const ComparedInput> inputs, PlanKind kind) {
  Table table;
  table.AddColumn("input", Align::kLeft);
  const absl::Span<const ComparedPlan> strategies = PlansOf(inputs[0], kind);
  const std::vector<size_t> order = BestFirst(inputs, kind);
  for (const size_t s : order) {
    table.AddColumn(strategies[s].strategy, Align::kRight);
  }
  // A sum is nullopt if a plan of the strategy is missing, because the sum over
  // the other inputs would be too small.
  std::vector<absl::optional<absl::Duration>> sums(strategies.size(),
                                                   absl::ZeroDuration());
  const std::vector<std::string> names = ShortNames(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<std::string> row = {names[i]};
    const absl::Span<const ComparedPlan> plans = PlansOf(inputs[i], kind);
    for (const size_t s : order) {
      if (plans[s].total_size) {
        row.push_back(TimeCell(plans[s].time));
        if (sums[s]) *sums[s] += plans[s].time;
      } else {
        row.emplace_back("-");
        sums[s].reset();
      }
    }
    table.AddRow(std::move(row));
  }
  std::vector<std::string> total = {"all inputs"};
  for (const size_t s : order) {
    total.push_back(sums[s] ? TimeCell(*sums[s]) : "-");
  }
  table.AddRow(std::move(total));
  return table.ToMarkdown();
}

// Returns a table for problems with costs. It shows the cost of each plan and
// the bytes in each pool.
std::string CostTable(absl::Span<const ComparedInput> inputs, PlanKind kind) {
  Table table;
  table.AddColumn("input", Align::kLeft);
  table.AddColumn("strategy", Align::kLeft);
  table.AddColumn("cost", Align::kRight);
  table.AddColumn("pools", Align::kLeft);
  const std::vector<std::string> names = ShortNames(inputs);
  const std::vector<size_t> order = BestFirst(inputs, kind);
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (const size_t s : order) {
      const ComparedPlan& plan = PlansOf(inputs[i], kind)[s];
      if (!plan.cost) continue;
      table.AddRow({names[i], plan.strategy, absl::StrCat(*plan.cost),
                    PoolsText(inputs[i], plan)});
    }
  }
  return table.ToMarkdown();
}

}  // namespace

Table OneInputTable(const ComparedInput& input, PlanKind kind) {
  Table table;
  table.AddColumn("strategy", Align::kLeft);
  table.AddColumn("total bytes", Align::kRight);
  table.AddColumn("ratio", Align::kRight);
  table.AddColumn("status", Align::kLeft);
  table.AddColumn("time", Align::kRight);
  const absl::Span<const ComparedPlan> plans = PlansOf(input, kind);
  const bool has_cost = std::any_of(
      plans.begin(), plans.end(),
      [](const ComparedPlan& plan) { return plan.cost.has_value(); });
  if (has_cost) table.AddColumn("cost", Align::kRight);
  if (has_cost) {
    for (const std::string& pool : input.pools) {
      table.AddColumn(OneLine(pool), Align::kRight);
    }
  }
  const absl::optional<Merit> best = BestMerit(plans);
  for (const size_t s : BestFirst({&input, 1}, kind)) {
    const ComparedPlan& plan = plans[s];
    std::vector<std::string> row = {plan.strategy, "-", "-",
                                    std::string(plan.StatusName()), "-"};
    if (plan.total_size) {
      const auto ratio = Ratio(*plan.total_size, input.LowerBound(kind));
      row[1] = absl::StrCat(*plan.total_size);
      row[2] = absl::StrCat(FormatRatio(ratio), Marks(plan, best));
      row[4] = TimeCell(plan.time);
    }
    if (has_cost) AddCostCells(input, plan, &row);
    table.AddRow(std::move(row));
  }
  return table;
}

std::string PoolsText(const ComparedInput& input, const ComparedPlan& plan) {
  std::string text;
  for (size_t p = 0; p < plan.pool_sizes.size(); ++p) {
    absl::StrAppend(&text, p > 0 ? " " : "", input.pools[p], "=",
                    plan.pool_sizes[p]);
  }
  return text;
}

std::string CompareWide(const Comparison& comparison) {
  const absl::Span<const ComparedInput> inputs = comparison.inputs;
  if (inputs.empty()) return "";
  std::string text;
  if (inputs.size() == 1) {
    absl::StrAppend(&text, OneLine(inputs[0].name), ": ",
                    Count(inputs[0].records, "record"), ", naive size ",
                    FormatBytes(inputs[0].naive_size), "\n");
  }
  for (const PlanKind kind : comparison.kinds) {
    if (!text.empty()) text += "\n";
    if (inputs.size() == 1) {
      absl::StrAppend(&text, KindTitle(kind), ": lower bound ",
                      FormatBytes(inputs[0].LowerBound(kind)), "\n\n",
                      OneInputTable(inputs[0], kind).ToMarkdown());
    } else {
      absl::StrAppend(&text, KindTitle(kind),
                      ": total bytes and ratio to the lower bound\n\n",
                      SizeTable(inputs, kind), "\nPlanning time\n\n",
                      TimeTable(inputs, kind));
      if (HasCosts(inputs)) {
        absl::StrAppend(&text, "\nCost, and bytes of pools\n\n",
                        CostTable(inputs, kind));
      }
    }
    if (const std::string fits = FitText(comparison, kind); !fits.empty()) {
      absl::StrAppend(&text, "\n", fits, "\n");
    }
    for (const std::string& reason : Reasons(comparison, kind)) {
      absl::StrAppend(&text, "\n", reason, "\n");
    }
  }
  absl::StrAppend(&text, "\n", TableLegend(inputs), "\n");
  for (const std::string& note : Notes(comparison)) {
    absl::StrAppend(&text, note, "\n");
  }
  return text;
}

}  // namespace stowage::cli
