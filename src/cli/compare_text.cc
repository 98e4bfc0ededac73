// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/cli/compare.h"
#include "src/cli/text.h"
#include "stowage/compare.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

using Align = Table::Align;

constexpr absl::string_view kLegend =
    "`*` smallest of its input, `=` proved optimal";

// The plans of one kind, which lie side by side.
absl::Span<const ComparedPlan> PlansOf(const ComparedInput& input,
                                       PlanKind kind) {
  const auto is_kind = [kind](const ComparedPlan& p) { return p.kind == kind; };
  const auto begin =
      std::find_if(input.plans.begin(), input.plans.end(), is_kind);
  const auto end = std::find_if_not(begin, input.plans.end(), is_kind);
  return absl::MakeConstSpan(input.plans)
      .subspan(static_cast<size_t>(begin - input.plans.begin()),
               static_cast<size_t>(end - begin));
}

absl::optional<size_t> SmallestTotal(absl::Span<const ComparedPlan> plans) {
  absl::optional<size_t> smallest;
  for (const ComparedPlan& plan : plans) {
    if (!plan.total_size) continue;
    smallest = std::min(smallest.value_or(*plan.total_size), *plan.total_size);
  }
  return smallest;
}

// " =*": two marks, or as many spaces, so that numbers stay in line.
std::string Marks(const ComparedPlan& plan, absl::optional<size_t> smallest) {
  const bool optimal = plan.status == SolutionStatus::kOptimal;
  return absl::StrCat(" ", optimal ? "=" : " ",
                      plan.total_size == smallest ? "*" : " ");
}

// A fixed width, so that only digits differ between runs.
std::string TimeCell(absl::Duration time) {
  return absl::StrFormat("%7s", FormatTime(time));
}

std::string OneInputTable(const ComparedInput& input, PlanKind kind) {
  Table table;
  table.AddColumn("strategy", Align::kLeft);
  table.AddColumn("total bytes", Align::kRight);
  table.AddColumn("ratio", Align::kRight);
  table.AddColumn("status", Align::kLeft);
  table.AddColumn("time", Align::kRight);
  const absl::Span<const ComparedPlan> plans = PlansOf(input, kind);
  const absl::optional<size_t> smallest = SmallestTotal(plans);
  for (const ComparedPlan& plan : plans) {
    if (!plan.total_size) {
      table.AddRow(
          {plan.strategy, "-", "-", std::string(plan.StatusName()), "-"});
      continue;
    }
    const auto ratio = Ratio(*plan.total_size, input.LowerBound(kind));
    table.AddRow({plan.strategy, absl::StrCat(*plan.total_size),
                  absl::StrCat(FormatRatio(ratio), Marks(plan, smallest)),
                  std::string(plan.StatusName()), TimeCell(plan.time)});
  }
  return table.ToString();
}

// Where names have folders in common, these say nothing.
std::vector<std::string> ShortNames(absl::Span<const ComparedInput> inputs) {
  std::string folder =
      std::filesystem::path(inputs[0].name).parent_path().string();
  if (!folder.empty() && folder.back() != '/') folder += '/';
  std::vector<std::string> names;
  for (const ComparedInput& input : inputs) {
    while (input.name.compare(0, folder.size(), folder) != 0) {
      folder.pop_back();
      folder.resize(folder.rfind('/') + 1);  // 0 where there is none
    }
    names.push_back(input.name);
  }
  for (std::string& name : names) name.erase(0, folder.size());
  return names;
}

// Over the inputs where the strategy has a ratio; nothing unless that is all of
// them, for other means could not be compared.
absl::optional<double> GeometricMean(absl::Span<const ComparedInput> inputs,
                                     PlanKind kind, size_t strategy) {
  double logs = 0;
  for (const ComparedInput& input : inputs) {
    const ComparedPlan& plan = PlansOf(input, kind)[strategy];
    if (!plan.total_size) return absl::nullopt;
    const auto ratio = Ratio(*plan.total_size, input.LowerBound(kind));
    if (!ratio) return absl::nullopt;
    logs += std::log(*ratio);
  }
  return std::exp(logs / static_cast<double>(inputs.size()));
}

std::vector<std::string> SizeCells(const ComparedInput& input, PlanKind kind) {
  const absl::Span<const ComparedPlan> plans = PlansOf(input, kind);
  const absl::optional<size_t> smallest = SmallestTotal(plans);
  std::vector<std::string> cells;
  for (const ComparedPlan& plan : plans) {
    if (!plan.total_size) {
      cells.emplace_back(plan.StatusName());
      continue;
    }
    const auto ratio = Ratio(*plan.total_size, input.LowerBound(kind));
    cells.push_back(absl::StrCat(*plan.total_size, " ", FormatRatio(ratio),
                                 Marks(plan, smallest)));
  }
  return cells;
}

// Rows: inputs, then the mean and the count of optimal plans.
std::string SizeTable(absl::Span<const ComparedInput> inputs, PlanKind kind) {
  Table table;
  table.AddColumn("input", Align::kLeft);
  table.AddColumn("records", Align::kRight);
  table.AddColumn("lower bound", Align::kRight);
  std::vector<std::string> means = {"geometric mean", "", ""};
  std::vector<std::string> optimals = {"optimal", "", ""};
  const absl::Span<const ComparedPlan> strategies = PlansOf(inputs[0], kind);
  for (size_t s = 0; s < strategies.size(); ++s) {
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
    for (std::string& cell : SizeCells(inputs[i], kind)) {
      row.push_back(std::move(cell));
    }
    table.AddRow(std::move(row));
  }
  table.AddRow(std::move(means));
  table.AddRow(std::move(optimals));
  return table.ToString();
}

// Rows: inputs, then their sum.
std::string TimeTable(absl::Span<const ComparedInput> inputs, PlanKind kind) {
  Table table;
  table.AddColumn("input", Align::kLeft);
  const absl::Span<const ComparedPlan> strategies = PlansOf(inputs[0], kind);
  for (const ComparedPlan& plan : strategies) {
    table.AddColumn(plan.strategy, Align::kRight);
  }
  // Nothing where a plan that is missing would make a sum smaller than it is.
  std::vector<absl::optional<absl::Duration>> sums(strategies.size(),
                                                   absl::ZeroDuration());
  const std::vector<std::string> names = ShortNames(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<std::string> row = {names[i]};
    const absl::Span<const ComparedPlan> plans = PlansOf(inputs[i], kind);
    for (size_t s = 0; s < plans.size(); ++s) {
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
  for (const absl::optional<absl::Duration> sum : sums) {
    total.push_back(sum ? TimeCell(*sum) : "-");
  }
  table.AddRow(std::move(total));
  return table.ToString();
}

// Why there is no plan where there is none, every reason once.
std::string Reasons(absl::Span<const ComparedInput> inputs, PlanKind kind) {
  std::set<std::string> reasons;
  for (const ComparedInput& input : inputs) {
    for (const ComparedPlan& plan : PlansOf(input, kind)) {
      if (plan.total_size) continue;
      reasons.insert(
          absl::StrCat(plan.StatusName(), ": ", OneLine(plan.reason)));
    }
  }
  std::string text;
  for (const std::string& reason : reasons) {
    absl::StrAppend(&text, "\n", reason, "\n");
  }
  return text;
}

// What searches were given, and whether others can repeat it.
std::string SearchText(const SolveOptions& solve) {
  const std::string seed = absl::StrCat("seed ", solve.seed);
  if (solve.node_budget) {
    return absl::StrCat("searches: ", *solve.node_budget, " nodes each, ", seed,
                        "; they repeat on every machine");
  }
  return absl::StrCat("searches: time limit ",
                      absl::FormatDuration(solve.time_limit), " each, ", seed,
                      ", ",
                      solve.threads > 0 ? Count(solve.threads, "thread")
                                        : "a thread on each core",
                      "; with --nodes they repeat on every machine");
}

std::string KindTitle(PlanKind kind) {
  return kind == PlanKind::kOffsets ? "Offsets in one arena" : "Shared objects";
}

}  // namespace

std::string CompareText(const Comparison& comparison) {
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
                      OneInputTable(inputs[0], kind));
    } else {
      absl::StrAppend(&text, KindTitle(kind),
                      ": total bytes and ratio to the lower bound\n\n",
                      SizeTable(inputs, kind), "\nPlanning time\n\n",
                      TimeTable(inputs, kind));
    }
    text += Reasons(inputs, kind);
  }
  absl::StrAppend(&text, "\n", kLegend, "\n");
  for (const ComparedInput& input : inputs) {
    if (input.lifetimes.empty()) continue;
    // The same for all models.
    absl::StrAppend(&text, "models: lifetimes ", input.lifetimes, "\n");
    break;
  }
  if (comparison.has_search) {
    absl::StrAppend(&text, SearchText(comparison.solve), "\n");
  }
  return text;
}

}  // namespace stowage::cli
