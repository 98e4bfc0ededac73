// SPDX-License-Identifier: Apache-2.0
// The text of stowage compare, which fits the terminal.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/compare.h"
#include "src/command/compare_cells.h"
#include "src/command/compare_rows.h"
#include "src/command/layout.h"
#include "src/command/text.h"
#include "src/views/plain_text.h"
#include "stowage/compare.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::cli {
namespace {

using views::PlainText;
using Align = Table::Align;

// The number of columns for the name of an input, if there is enough room.
constexpr size_t kSomeInput = 22;

void AddProse(absl::string_view prose, size_t width, std::string* text) {
  absl::StrAppend(text, FitLines(prose, width), "\n");
}

// The values on the line of the summary for one strategy.
struct Standing {
  size_t strategy = 0;  // the index of the strategy
  absl::optional<double> mean;
  absl::optional<double> worst;
  size_t worst_input = 0;
  size_t optimal = 0;
  size_t smallest = 0;
  bool is_whole = true;  // there is a plan for every input
  absl::Duration time;
};

Standing StandingOf(absl::Span<const ComparedInput> inputs, PlanKind kind,
                    size_t strategy) {
  Standing standing;
  standing.strategy = strategy;
  standing.mean = GeometricMean(inputs, kind, strategy);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const absl::Span<const ComparedPlan> plans = PlansOf(inputs[i], kind);
    const ComparedPlan& plan = plans[strategy];
    if (!plan.total_size) {
      standing.is_whole = false;
      continue;
    }
    standing.time += plan.time;
    if (plan.status == SolutionStatus::kOptimal) ++standing.optimal;
    if (MeritOf(plan) == BestMerit(plans)) ++standing.smallest;
    const auto ratio = Ratio(*plan.total_size, inputs[i].LowerBound(kind));
    if (!ratio || *ratio <= standing.worst.value_or(1)) continue;
    standing.worst = ratio;
    standing.worst_input = i;
  }
  return standing;
}

// Returns the lines of the summary. The line of the best strategy is the first.
std::vector<Standing> Standings(absl::Span<const ComparedInput> inputs,
                                PlanKind kind) {
  std::vector<Standing> standings;
  for (const size_t s : BestFirst(inputs, kind)) {
    standings.push_back(StandingOf(inputs, kind, s));
  }
  return standings;
}

// Returns the letter that stands for the strategy at `place` in the ranking:
// "A" to "Z", then "a" to "z". Returns numbers after that.
std::string Letter(size_t place) {
  if (place < 26) return std::string(1, static_cast<char>('A' + place));
  if (place < 52) return std::string(1, static_cast<char>('a' + (place - 26)));
  return absl::StrCat(place + 1);
}

// The summary and the matrix for one kind of plan on several inputs.
class Overview {
 public:
  Overview(absl::Span<const ComparedInput> inputs, PlanKind kind,
           const TextLimits& limits)
      : inputs_(inputs),
        kind_(kind),
        limits_(limits),
        names_(ShortNames(inputs)),
        standings_(Standings(inputs, kind)) {
    for (std::string& name : names_) {
      name = PlainText(name, limits.ascii);
      // The ending is removed, because all inputs from a folder of traces have
      // it.
      if (absl::EndsWith(name, ".csv")) name.resize(name.size() - 4);
    }
  }

  // Returns a line for each strategy.
  std::string Summary() const {
    Table table(/*blanks=*/2);
    table.AddColumn("", Align::kRight);
    table.AddColumn("strategy", Align::kLeft, 8);
    table.AddColumn("mean", Align::kRight);
    table.AddColumn("worst", Align::kRight);
    table.AddColumn("", Align::kLeft, 3);
    for (const char* title : {"optimal", "smallest", "time"}) {
      table.AddColumn(title, Align::kRight);
    }
    for (size_t k = 0; k < standings_.size(); ++k) {
      const Standing& s = standings_[k];
      const bool has_worst = s.worst.has_value();
      table.AddRow({Letter(k), NameOf(s), Mean(s),
                    has_worst ? ShortRatio(s.worst, 4, limits_.ascii) : "",
                    has_worst ? names_[s.worst_input] : "",
                    absl::StrCat(s.optimal), absl::StrCat(s.smallest),
                    s.is_whole ? TimeCell(s.time) : Dash()});
    }
    return table.ToText(limits_);
  }

  // Returns a table with a row for each input and a column for each strategy.
  // If not all columns fit, the table is split into blocks of as many
  // strategies as fit.
  std::string Matrix() const {
    Table table(/*blanks=*/1);
    table.set_key_columns(3);
    table.AddColumn("input", Align::kLeft,
                    std::min(kSomeInput, limits_.width / 3));
    table.AddColumn("records", Align::kRight);
    table.AddColumn("bound", Align::kRight);
    for (size_t k = 0; k < standings_.size(); ++k) {
      table.AddColumn(Letter(k), Align::kRight);
    }
    for (size_t i = 0; i < inputs_.size(); ++i) table.AddRow(Row(i));
    return absl::StrCat("\n", table.ToText(limits_));
  }

  // Returns all cells of the matrix as one string.
  std::string Cells() const {
    std::string cells;
    for (const ComparedInput& input : inputs_) {
      const absl::Span<const ComparedPlan> plans = PlansOf(input, kind_);
      for (const ComparedPlan& plan : plans) {
        absl::StrAppend(&cells, ShortCell(plan, plans, input.LowerBound(kind_),
                                          limits_.ascii));
      }
    }
    return cells;
  }

 private:
  std::string Dash() const { return limits_.ascii ? "-" : "–"; }

  std::string NameOf(const Standing& standing) const {
    return PlainText(PlansOf(inputs_[0], kind_)[standing.strategy].strategy,
                     limits_.ascii);
  }

  std::string Mean(const Standing& standing) const {
    if (!standing.mean) return Dash();
    const bool is_bound = standing.optimal == inputs_.size() && !standing.worst;
    return is_bound ? "=" : ShortRatio(standing.mean, 4, limits_.ascii);
  }

  std::vector<std::string> Row(size_t i) const {
    const ComparedInput& input = inputs_[i];
    const absl::Span<const ComparedPlan> plans = PlansOf(input, kind_);
    std::vector<std::string> row = {names_[i], absl::StrCat(input.records),
                                    views::ShortSize(input.LowerBound(kind_))};
    for (const Standing& standing : standings_) {
      row.push_back(ShortCell(plans[standing.strategy], plans,
                              input.LowerBound(kind_), limits_.ascii));
    }
    return row;
  }

  absl::Span<const ComparedInput> inputs_;
  PlanKind kind_;
  TextLimits limits_;
  std::vector<std::string> names_;
  std::vector<Standing> standings_;
};

// Returns the meaning of the marks that occur in the cells.
std::string Legend(absl::string_view cells, bool has_costs, bool ascii) {
  std::vector<std::pair<const char*, std::string>> marks = {
      {"=", "at the lower bound, so optimal; 3.6= is proved optimal above it"},
      {"*", has_costs ? "the least cost of its input, then the smallest, where"
                        " no plan is proved optimal"
                      : "the smallest of its input, where no plan is proved"
                        " optimal"},
      {ascii ? "x" : "×", "times the bound"},
      {ascii ? "-" : "–", "no plan"}};
  std::string text;
  for (const auto& [mark, meaning] : marks) {
    if (!absl::StrContains(cells, mark)) continue;
    absl::StrAppend(&text, mark, "  ", meaning, "\n");
  }
  return text;
}

std::string OneInputText(const Comparison& comparison, PlanKind kind,
                         const TextLimits& limits) {
  const ComparedInput& input = comparison.inputs[0];
  std::string text;
  AddProse(absl::StrCat(KindTitle(kind), ": lower bound ",
                        FormatBytes(input.LowerBound(kind))),
           limits.width, &text);
  return absl::StrCat(text, "\n", OneInputTable(input, kind).ToText(limits));
}

}  // namespace

std::string CompareText(const Comparison& comparison,
                        const TextLimits& limits) {
  const absl::Span<const ComparedInput> inputs = comparison.inputs;
  if (inputs.empty()) return "";
  const bool is_one = inputs.size() == 1;
  std::string text;
  std::string cells;
  if (is_one) {
    AddProse(absl::StrCat(PlainText(inputs[0].name, limits.ascii), ": ",
                          Count(inputs[0].records, "record"), ", naive size ",
                          FormatBytes(inputs[0].naive_size)),
             limits.width, &text);
  }
  for (const PlanKind kind : comparison.kinds) {
    if (!text.empty()) text += "\n";
    if (is_one) {
      absl::StrAppend(&text, OneInputText(comparison, kind, limits));
    } else if (PlansOf(inputs[0], kind).empty()) {
      continue;
    } else {
      const Overview overview(inputs, kind, limits);
      AddProse(absl::StrCat(Count(inputs.size(), "input"), ", ",
                            kind == PlanKind::kOffsets ? "offsets in one arena"
                                                       : "shared objects",
                            "; % above the lower bound"),
               limits.width, &text);
      absl::StrAppend(&text, overview.Summary(), overview.Matrix());
      absl::StrAppend(&cells, overview.Cells());
    }
    if (const std::string fits = FitText(comparison, kind); !fits.empty()) {
      text += "\n";
      AddProse(fits, limits.width, &text);
    }
    for (const std::string& reason : Reasons(comparison, kind)) {
      text += "\n";
      AddProse(PlainText(reason, limits.ascii), limits.width, &text);
    }
  }
  text += "\n";
  const std::string legend =
      is_one ? TableLegend(inputs)
             : Legend(cells, HasCosts(inputs), limits.ascii);
  for (const absl::string_view line :
       absl::StrSplit(legend, '\n', absl::SkipEmpty())) {
    AddProse(line, limits.width, &text);
  }
  for (const std::string& note : Notes(comparison)) {
    AddProse(note, limits.width, &text);
  }
  return text;
}

}  // namespace stowage::cli
