// SPDX-License-Identifier: Apache-2.0
// Tests that all formats of stowage compare show the same numbers, and that its
// text fits the terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "rapidcheck/gtest.h"
#include "src/command/compare.h"
#include "src/command/compare_rows.h"
#include "src/command/text.h"
#include "stowage/compare.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/views/plain_text.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using Rows = std::vector<std::vector<std::string>>;

// Parses CSV according to the grammar of RFC 4180.
Rows ParseCsv(absl::string_view csv) {
  Rows rows = {{""}};
  bool is_quoted = false;
  for (size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    std::string& cell = rows.back().back();
    if (is_quoted) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < csv.size() && csv[i + 1] == '"') {
        cell += csv[++i];
      } else {
        is_quoted = false;
      }
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == ',') {
      rows.back().emplace_back();
    } else if (c == '\n') {
      rows.push_back({""});
    } else {
      cell += c;
    }
  }
  rows.pop_back();  // removes the empty row after the last line end
  return rows;
}

// Parses a table in GitHub Markdown, and drops the line of dashes. A backslash
// makes the next character literal.
Rows ParseMarkdown(absl::string_view text) {
  Rows rows;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.empty()) break;
    std::vector<std::string> cells = {""};
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\' && i + 1 < line.size()) {
        cells.back() += line[++i];
      } else if (line[i] == '|') {
        cells.emplace_back();
      } else {
        cells.back() += line[i];
      }
    }
    cells.erase(cells.begin());
    cells.pop_back();
    for (std::string& cell : cells) absl::StripAsciiWhitespace(&cell);
    rows.push_back(std::move(cells));
  }
  if (rows.size() > 1) rows.erase(rows.begin() + 1);
  return rows;
}

ComparedPlan ArbitraryPlan(const std::string& strategy, bool has_costs) {
  ComparedPlan plan;
  plan.strategy = strategy;
  plan.time_ns = *rc::gen::inRange(0, 1 << 30);
  if (*rc::gen::inRange(0, 4) == 0) {
    plan.outcome = *rc::gen::element(ComparedPlan::Outcome::kGaveUp,
                                     ComparedPlan::Outcome::kUnsupported);
    plan.reason = *rc::gen::arbitrary<std::string>();
    return plan;
  }
  plan.total_size = *rc::gen::inRange<size_t>(0, size_t{1} << 40);
  if (has_costs) {
    plan.cost = *rc::gen::inRange<uint64_t>(0, 1 << 20);
    plan.pool_sizes = {*plan.total_size, 7};
  }
  return plan;
}

Comparison ArbitraryComparison() {
  Comparison comparison;
  comparison.kinds = {PlanKind::kOffsets};
  const bool has_costs = *rc::gen::arbitrary<bool>();
  const auto inputs = *rc::gen::inRange<size_t>(1, 6);
  const auto strategies = *rc::gen::inRange<size_t>(1, 40);
  for (size_t i = 0; i < inputs; ++i) {
    ComparedInput input;
    input.name = *rc::gen::arbitrary<std::string>();
    input.records = *rc::gen::inRange<size_t>(0, 1000000);
    input.offsets_bound = *rc::gen::inRange<size_t>(0, size_t{1} << 40);
    input.pools = {*rc::gen::arbitrary<std::string>(), "dram"};
    for (size_t s = 0; s < strategies; ++s) {
      input.plans.push_back(
          ArbitraryPlan(absl::StrCat("strategy_", s), has_costs));
      ComparedPlan& plan = input.plans.back();
      if (plan.total_size) {
        plan.total_size = std::max(*plan.total_size, input.offsets_bound);
        if (*plan.total_size == input.offsets_bound) {
          plan.status = SolutionStatus::kOptimal;
        }
      }
    }
    comparison.inputs.push_back(std::move(input));
  }
  return comparison;
}

RC_GTEST_PROP(CompareFormats, MarkdownHasTheCellsOfCsv, ()) {
  const Comparison comparison = ArbitraryComparison();
  Rows csv = ParseCsv(CompareAnswer(comparison).ToCsv());
  // Markdown pads cells with blanks.
  for (std::vector<std::string>& row : csv) {
    for (std::string& cell : row) absl::StripAsciiWhitespace(&cell);
  }
  RC_ASSERT(ParseMarkdown(CompareAnswer(comparison).ToMarkdown()) == csv);
  const size_t columns = HasCosts(comparison.inputs) ? 12 : 9;
  RC_ASSERT(csv.size() ==
            1 + comparison.inputs.size() * comparison.inputs[0].plans.size());
  for (const std::vector<std::string>& row : csv) {
    RC_ASSERT(row.size() == columns);
  }
}

RC_GTEST_PROP(CompareFormats, EveryTotalAndRatioOfTheTablesIsInCsv, ()) {
  const Comparison comparison = ArbitraryComparison();
  const Rows csv = ParseCsv(CompareAnswer(comparison).ToCsv());
  size_t row = 1;
  for (const ComparedInput& input : comparison.inputs) {
    for (const ComparedPlan& plan : input.plans) {
      const std::vector<std::string>& cells = csv[row++];
      RC_ASSERT(cells[0] == OneLine(input.name));
      RC_ASSERT(cells[1] == absl::StrCat(input.records));
      RC_ASSERT(cells[2] == absl::StrCat(input.offsets_bound));
      RC_ASSERT(cells[3] == plan.strategy);
      RC_ASSERT(cells[7] == plan.StatusName());
      if (!plan.total_size) {
        RC_ASSERT(cells[5].empty() && cells[6].empty() && cells[8].empty());
        continue;
      }
      RC_ASSERT(cells[5] == absl::StrCat(*plan.total_size));
      const auto ratio = Ratio(*plan.total_size, input.offsets_bound);
      RC_ASSERT(cells[6] == (ratio ? FormatRatio(ratio) : ""));
    }
  }
}

RC_GTEST_PROP(CompareFormats, TextIsNeverWiderThanAsked, ()) {
  const Comparison comparison = ArbitraryComparison();
  if (comparison.inputs.size() == 1) return;  // a table may be wider
  const auto width = *rc::gen::inRange<size_t>(kLeastTextWidth, 200);
  for (const bool ascii : {false, true}) {
    const std::string text = CompareText(comparison, {width, ascii});
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      if (views::DisplayWidth(line) <= width) continue;
      RC_FAIL(absl::StrCat(width, ": ", line));
    }
  }
}

struct OrderCase {
  const char* name;
  // The bytes of each plan by input and strategy, or 0 if there is no plan.
  std::vector<std::vector<size_t>> totals;
  std::vector<size_t> best_first;  // indices of strategies
};

TEST(CompareFormats, TheBestIsFirstForOneInputAndForSeveral) {
  for (const OrderCase& c : std::vector<OrderCase>{
           {"one input", {{300, 100, 200}}, {1, 2, 0}},
           {"equals as asked for", {{200, 100, 200, 100}}, {1, 3, 0, 2}},
           {"no plan", {{0, 300, 0, 200}}, {3, 1, 0, 2}},
           {"several by mean", {{100, 400}, {300, 100}}, {0, 1}},
           {"as the one input of each",
            {{300, 100, 200}, {300, 100, 200}},
            {1, 2, 0}},
           {"plans of fewer inputs", {{100, 300, 0}, {0, 300, 0}}, {1, 0, 2}},
       }) {
    SCOPED_TRACE(c.name);
    std::vector<ComparedInput> inputs;
    for (const std::vector<size_t>& totals : c.totals) {
      ComparedInput& input = inputs.emplace_back();
      input.offsets_bound = 100;
      for (const size_t total : totals) {
        ComparedPlan& plan = input.plans.emplace_back();
        if (total > 0) plan.total_size = total;
      }
    }
    EXPECT_EQ(BestFirst(inputs, PlanKind::kOffsets), c.best_first);
  }
}

TEST(CompareFormats, TheLeastCostIsFirst) {
  std::vector<ComparedInput> inputs(1);
  for (const auto& [cost, total] : {std::pair<uint64_t, size_t>(7, 100),
                                    std::pair<uint64_t, size_t>(5, 300),
                                    std::pair<uint64_t, size_t>(5, 200)}) {
    ComparedPlan& plan = inputs[0].plans.emplace_back();
    plan.cost = cost;
    plan.total_size = total;
  }
  EXPECT_EQ(BestFirst(inputs, PlanKind::kOffsets),
            (std::vector<size_t>{2, 1, 0}));
}

TEST(CompareFormats, MarkdownFitsACommentAndSaysWhatIsLeftOut) {
  Comparison comparison;
  comparison.kinds = {PlanKind::kOffsets};
  for (size_t i = 0; i < 3000; ++i) {
    ComparedInput input;
    input.name = absl::StrCat("folder/of/inputs/", i);
    input.plans.push_back(ComparedPlan());
    input.plans.back().total_size = i;
    comparison.inputs.push_back(std::move(input));
  }
  const std::string markdown = CompareAnswer(comparison).ToMarkdown();
  EXPECT_LT(markdown.size(), 65536U);
  const size_t shown = ParseMarkdown(markdown).size() - 1;
  EXPECT_THAT(markdown, HasSubstr(absl::StrCat("\n", 3000 - shown,
                                               " rows more: `--format csv`")));
}

struct RatioCase {
  double ratio;
  const char* wide;
  const char* narrow;
};

TEST(ShortRatio, FitsItsColumns) {
  const RatioCase cases[] = {
      {1, "0.0", "0.0"},        {1.0001, "<0.1", "0.0"}, {1.0988, "9.9", "9.9"},
      {1.0996, "10.0", "10"},   {1.9994, "99.9", "×2"},  {1.9996, "×2.0", "×2"},
      {4.19, "×4.2", "×4"},     {12.2, "×12", "×12"},    {120, "×120", "×e2"},
      {40000.9, "×4e4", "×e4"}, {9.6e8, "×1e9", "×e9"},  {3e12, "×e12", "e12"}};
  for (const RatioCase& c : cases) {
    EXPECT_EQ(ShortRatio(c.ratio, 4, false), c.wide) << c.ratio;
    EXPECT_EQ(ShortRatio(c.ratio, 3, false), c.narrow) << c.ratio;
  }
  EXPECT_EQ(ShortRatio(4.19, 4, true), "x4.2");
  EXPECT_EQ(ShortRatio(absl::nullopt, 3, false), "inf");
}

TEST(ShortCell, SaysWhatIsProved) {
  ComparedPlan plan;
  plan.total_size = 104;
  ComparedPlan worse = plan;
  worse.total_size = 208;
  ComparedPlan none;
  none.outcome = ComparedPlan::Outcome::kGaveUp;
  const std::vector<ComparedPlan> open = {plan, worse, none};
  EXPECT_EQ(ShortCell(open[0], open, 100, false), "4.0*");
  EXPECT_EQ(ShortCell(open[1], open, 100, false), "×2.1");
  EXPECT_EQ(ShortCell(open[2], open, 100, false), "–");
  EXPECT_EQ(ShortCell(open[2], open, 100, true), "-");
  std::vector<ComparedPlan> proved = open;
  proved[0].status = SolutionStatus::kOptimal;
  EXPECT_EQ(ShortCell(proved[0], proved, 100, false), "4.0=");
  EXPECT_EQ(ShortCell(proved[0], proved, 104, false), "=");
  // A plan that is proved optimal has the mark "=". A plan of the same size
  // that is not proved optimal has no mark.
  proved[1].total_size = 104;
  EXPECT_EQ(ShortCell(proved[1], proved, 100, false), "4.0");
}

TEST(CompareText, OfTheShippedTracesFits) {
  const CommandFolder folder;
  for (const auto& [variables, width] :
       std::vector<std::pair<std::string, size_t>>{
           {"", 80}, {"COLUMNS=80", 80}, {"COLUMNS=200", 200}}) {
    const CommandResult result = folder.Run(
        absl::StrCat(variables, " stowage compare --nodes 10 --threads 1 '",
                     STOWAGE_SOURCE_DIR, "/data/traces'"));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("inputs, offsets in one arena"));
    EXPECT_THAT(result.out, HasSubstr("unet_plus_plus"));
    EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
    for (const absl::string_view line : absl::StrSplit(result.out, '\n')) {
      EXPECT_LE(views::DisplayWidth(line), width) << line;
    }
  }
}

// Returns the graph of a program compiled by TVM, with an input and two
// operators. The results of the operators use the storages `first` and
// `second`.
std::string TvmGraphWith(int first, int second) {
  constexpr absl::string_view kOperator =
      R"({"op": "tvm_op", "name": "f", "attrs": {"func_name": "f",)"
      R"( "num_outputs": "1", "num_inputs": "1", "flatten_data": "0"},)";
  return absl::StrCat(
      R"({"nodes": [{"op": "null", "name": "x", "inputs": []},)", kOperator,
      R"("inputs": [[0, 0, 0]]},)", kOperator,
      R"("inputs": [[1, 0, 0]]}], "arg_nodes": [0], "heads": [[2, 0, 0]],)",
      R"("node_row_ptr": [0, 1, 2, 3], "attrs": {"dltype": ["list_str",)",
      R"(["float32", "float32", "float32"]], "storage_id": ["list_int", [0, )",
      first, ", ", second,
      "]], \"shape\": [\"list_shape\", [[8], [8], [8]]]}}");
}

TEST(CompareRecordings, ObjectsOfARuntimeAreARow) {
  const CommandFolder folder;
  folder.Write("safe.json", TvmGraphWith(1, 2));
  folder.Write("unsafe.json", TvmGraphWith(7, 7));
  const CommandResult safe =
      folder.Run("stowage compare safe.json --kind objects");
  EXPECT_EQ(safe.exit_code, 0) << safe.err;
  EXPECT_THAT(safe.out, HasSubstr("| recorded          |          64 |"));
  const CommandResult unsafe =
      folder.Run("stowage compare unsafe.json safe.json --kind objects");
  EXPECT_EQ(unsafe.exit_code, 1);
  EXPECT_THAT(unsafe.out, HasSubstr("unsafe: recorded: tensor '1' and tensor "
                                    "'2' both hold object 7"));
  EXPECT_THAT(folder.Run("stowage compare safe.json").out,
              Not(HasSubstr("recorded")));
}

TEST(CompareReasons, StrategiesThatLackTheSameSupportAreNamedTogether) {
  const CommandFolder folder;
  folder.Write("pools.json", R"({"pools": [{"name": "fast"}, {"name": "slow"}],
    "records": [{"id": "a", "size": 4, "lower": 0, "upper": 2}]})");
  EXPECT_THAT(
      folder
          .Run("stowage compare pools.json "
               "--strategies naive,skyline,equality")
          .out,
      HasSubstr("\nunsupported: strategies 'naive', 'equality' do not support "
                "pools; expected one\n  of optimal, skyline\n"));
}

}  // namespace
}  // namespace stowage::cli
