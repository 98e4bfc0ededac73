// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
constexpr absl::string_view kCostLegend =
    "`*` least cost of its input, then smallest, `=` proved optimal";

bool HasCosts(absl::Span<const ComparedInput> inputs) {
  for (const ComparedInput& input : inputs) {
    for (const ComparedPlan& plan : input.plans) {
      if (plan.cost) return true;
    }
  }
  return false;
}

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

// Cost comes before size; without costs all are 0.
using Merit = std::pair<uint64_t, size_t>;

absl::optional<Merit> MeritOf(const ComparedPlan& plan) {
  if (!plan.total_size) return absl::nullopt;
  return Merit(plan.cost.value_or(0), *plan.total_size);
}

absl::optional<Merit> BestMerit(absl::Span<const ComparedPlan> plans) {
  absl::optional<Merit> best;
  for (const ComparedPlan& plan : plans) {
    const absl::optional<Merit> merit = MeritOf(plan);
    if (merit && (!best || *merit < *best)) best = merit;
  }
  return best;
}

// " =*": two marks, or as many spaces, so that numbers stay in line.
std::string Marks(const ComparedPlan& plan, const absl::optional<Merit>& best) {
  const bool optimal = plan.status == SolutionStatus::kOptimal;
  return absl::StrCat(" ", optimal ? "=" : " ",
                      MeritOf(plan) == best ? "*" : " ");
}

// A fixed width, so that only digits differ between runs.
std::string TimeCell(absl::Duration time) {
  return absl::StrFormat("%7s", FormatTime(time));
}

// The cost and the bytes of each pool.
void AddCostCells(const ComparedInput& input, const ComparedPlan& plan,
                  std::vector<std::string>* row) {
  row->push_back(plan.cost ? absl::StrCat(*plan.cost) : "-");
  for (size_t p = 0; p < input.pools.size(); ++p) {
    row->push_back(p < plan.pool_sizes.size() ? absl::StrCat(plan.pool_sizes[p])
                                              : "-");
  }
}

std::string OneInputTable(const ComparedInput& input, PlanKind kind) {
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
  for (const ComparedPlan& plan : plans) {
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
  const absl::optional<Merit> best = BestMerit(plans);
  std::vector<std::string> cells;
  for (const ComparedPlan& plan : plans) {
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
  absl::StrAppend(&text, "\n", HasCosts(inputs) ? kCostLegend : kLegend, "\n");
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
