// SPDX-License-Identifier: Apache-2.0
// Formats the text of `stowage compare` so that it fits the terminal.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/compare.h"
#include "src/command/compare_rows.h"
#include "src/command/layout.h"
#include "src/command/text.h"
#include "stowage/compare.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/views/plain_text.h"

namespace stowage::cli {
namespace {

using views::PlainText;
using Align = Table::Align;

// The number of columns for the name of an input if there is enough room.
constexpr size_t kSomeInput = 22;

// The values that the line of one strategy shows in the summary.
struct Standing {
  size_t strategy = 0;  // identifies the strategy by index
  absl::optional<double> mean;
  absl::optional<double> worst;
  size_t worst_input = 0;
  size_t optimal = 0;
  size_t smallest = 0;
  bool is_whole = true;  // says whether every input has a plan
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
    standing.time += absl::Nanoseconds(plan.time_ns);
    if (plan.status == SolutionStatus::kOptimal) ++standing.optimal;
    if (MeritOf(plan) == BestMerit(plans)) ++standing.smallest;
    const auto ratio = Ratio(*plan.total_size, inputs[i].LowerBound(kind));
    if (!ratio || *ratio <= standing.worst.value_or(1)) continue;
    standing.worst = ratio;
    standing.worst_input = i;
  }
  return standing;
}

// Returns the lines of the summary, the line of the best strategy first.
std::vector<Standing> Standings(absl::Span<const ComparedInput> inputs,
                                PlanKind kind) {
  std::vector<Standing> standings;
  for (const size_t s : BestFirst(inputs, kind)) {
    standings.push_back(StandingOf(inputs, kind, s));
  }
  return standings;
}

// Returns the short name of the strategy at rank `place`. The names are the
// letters "A" to "Z", then "a" to "z", and then numbers.
std::string Letter(size_t place) {
  if (place < 26) return std::string(1, static_cast<char>('A' + place));
  if (place < 52) return std::string(1, static_cast<char>('a' + (place - 26)));
  return absl::StrCat(place + 1);
}

// Formats the summary and the matrix for one kind of plan on several inputs.
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
      // All inputs from a folder of traces have this suffix, so it carries no
      // information.
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
  // If the columns do not all fit, splits the table into blocks, each with the
  // number of strategies that fits.
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
    return table.ToText(limits_);
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

// Returns a text that explains those marks that occur in the cells.
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

// Returns the marks of a plan: "=" if it is optimal, and "*" if it is the best.
// A space replaces a missing mark, so that numbers stay aligned.
std::string Marks(const ComparedPlan& plan, const absl::optional<Merit>& best) {
  const bool optimal = plan.status == SolutionStatus::kOptimal;
  return absl::StrCat(" ", optimal ? "=" : " ",
                      MeritOf(plan) == best ? "*" : " ");
}

// Adds a table with a row for each strategy. If plans have a cost, the table
// also shows the costs and the bytes in each pool.
void AddInputTable(const ComparedInput& input, PlanKind kind, Answer* answer) {
  const absl::Span<const ComparedPlan> plans = PlansOf(input, kind);
  const bool has_cost = std::any_of(
      plans.begin(), plans.end(),
      [](const ComparedPlan& plan) { return plan.cost.has_value(); });
  AnswerTable table;
  table.columns = {"strategy", "total bytes>", "ratio>", "status", "time>"};
  if (has_cost) {
    table.columns.emplace_back("cost>");
    table.columns.emplace_back("cost bound>");
    for (const std::string& pool : input.pools) {
      table.columns.emplace_back(">").label = OneLine(pool);
    }
  }
  table.count = plans.size();
  table.row = [&input, plans, kind, has_cost,
               order = BestFirst({&input, 1}, kind),
               best = BestMerit(plans)](size_t k) {
    const ComparedPlan& plan = plans[order[k]];
    std::vector<Value> row = {plan.strategy, "-", "-", plan.StatusName(), "-"};
    if (plan.total_size) {
      const auto ratio = Ratio(*plan.total_size, input.LowerBound(kind));
      row[1] = *plan.total_size;
      row[2] = absl::StrCat(FormatRatio(ratio), Marks(plan, best));
      // The plan of a recording has no planning time.
      if (plan.time_ns > 0) row[4] = TimeCell(absl::Nanoseconds(plan.time_ns));
    }
    if (!has_cost) return row;
    row.push_back(plan.cost ? Value(*plan.cost) : Nothing());
    row.push_back(plan.cost ? Value(plan.cost_bound) : Nothing());
    for (size_t p = 0; p < input.pools.size(); ++p) {
      row.push_back(p < plan.pool_sizes.size() ? Value(plan.pool_sizes[p])
                                               : Nothing());
    }
    return row;
  };
  answer->AddTable(std::move(table));
}

// Adds the summary of the strategies. If `is_wide` is true, also adds a table
// for each input. Otherwise, adds the matrix, and appends its cells to `cells`.
void AddOverview(absl::Span<const ComparedInput> inputs, PlanKind kind,
                 const TextLimits& limits, bool is_wide, std::string* cells,
                 Answer* answer) {
  const Overview overview(inputs, kind, limits);
  answer->AddParagraph(Lines(absl::StrCat(
      Count(inputs.size(), "input"), ", ",
      kind == PlanKind::kOffsets ? "offsets in one arena" : "shared objects",
      "; % above the lower bound\n", overview.Summary())));
  if (!is_wide) {
    answer->AddParagraph(Lines(overview.Matrix()));
    absl::StrAppend(cells, overview.Cells());
    return;
  }
  const std::vector<std::string> names = ShortNames(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    answer->AddParagraph(
        Phrase(names[i], ": ", Count(inputs[i].records, "record"),
               ", naive size ", Size(inputs[i].naive_size), ", lower bound ",
               Size(inputs[i].LowerBound(kind))));
    AddInputTable(inputs[i], kind, answer);
  }
}

}  // namespace

std::string CompareText(const Comparison& comparison, TextLimits limits,
                        bool is_wide) {
  const absl::Span<const ComparedInput> inputs = comparison.inputs;
  if (inputs.empty()) return "";
  if (is_wide) limits.width = std::numeric_limits<size_t>::max();
  const bool is_one = inputs.size() == 1;
  Answer answer;
  std::string cells;
  if (is_one) {
    answer.SayLine(Phrase(inputs[0].name, ": ",
                          Count(inputs[0].records, "record"), ", naive size ",
                          Size(inputs[0].naive_size)));
  }
  for (const PlanKind kind : comparison.kinds) {
    if (is_one) {
      answer.AddParagraph(Phrase(KindTitle(kind), ": lower bound ",
                                 Size(inputs[0].LowerBound(kind))));
      AddInputTable(inputs[0], kind, &answer);
    } else if (PlansOf(inputs[0], kind).empty()) {
      continue;
    } else {
      AddOverview(inputs, kind, limits, is_wide, &cells, &answer);
    }
    if (const std::string fits = FitText(comparison, kind); !fits.empty()) {
      answer.AddParagraph(fits);
    }
    for (const std::string& reason : Reasons(comparison, kind)) {
      answer.AddParagraph(Lines(reason));
    }
  }
  const std::string legend =
      is_one || is_wide ? absl::StrCat(TableLegend(inputs), "\n")
                        : Legend(cells, HasCosts(inputs), limits.ascii);
  const std::string end =
      absl::StrCat(legend, absl::StrJoin(Notes(comparison), "\n"));
  if (!end.empty()) answer.AddParagraph(Lines(end));
  return answer.ToText(limits);
}

}  // namespace stowage::cli
