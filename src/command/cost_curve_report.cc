// SPDX-License-Identifier: Apache-2.0
#include "src/command/cost_curve_report.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/interruption.h"
#include "src/command/json.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/plan_report.h"
#include "src/command/svg_file.h"
#include "src/command/verb.h"
#include "stowage/constraints.h"
#include "stowage/cost_curve.h"
#include "stowage/io/problem_file.h"
#include "stowage/io/write_file.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/views/cost_curve_svg.h"

namespace stowage::cli {
namespace {

constexpr uint64_t kMaxPoints = 1000;

absl::StatusOr<uint64_t> ParsePoints(absl::string_view text) {
  absl::StatusOr<uint64_t> count = ParseNumber(text);
  if (!count.ok() || (*count >= 2 && *count <= kMaxPoints)) return count;
  return absl::InvalidArgumentError(
      absl::StrCat(text, "; expected 2 to ", kMaxPoints));
}

// Returns the capacities of all pools at a point of the curve.
Value PoolsValue(const std::vector<std::string>& pools,
                 const CostPoint& point) {
  Json capacities = Json::object();
  std::string text;
  for (size_t p = 0; p < pools.size(); ++p) {
    capacities[pools[p]] = point.capacities[p];
    absl::StrAppend(&text, p > 0 ? " " : "", pools[p], "=",
                    point.capacities[p]);
  }
  return {std::move(capacities), Value(text)};
}

AnswerTable TableOfPoints(const std::vector<CostPoint>& curve,
                          const std::vector<std::string>& pools) {
  AnswerTable table;
  table.columns = {"capacity>capacity", "cost>cost", "cost bound>cost_bound",
                   "gap>gap", "total>total_size"};
  // With a single pool, no column is needed for the pools, since the capacity
  // of the pool is the capacity of the point.
  const bool has_pools = pools.size() > 1;
  if (has_pools) table.columns.emplace_back("pools=pools");
  table.count = curve.size();
  table.row = [&curve, pools, has_pools](size_t k) {
    const Solution& solution = curve[k].solution;
    const uint64_t bound = std::min(solution.cost_bound, solution.cost);
    std::vector<Value> row = {Bytes(curve[k].capacity), solution.cost, bound,
                              solution.cost - bound,
                              Bytes(solution.total_size)};
    if (has_pools) row.push_back(PoolsValue(pools, curve[k]));
    return row;
  };
  return table;
}

Answer CurveAnswer(const PlanArgs& args, const std::vector<CostPoint>& curve,
                   const ProblemSpec& problem, absl::Duration time) {
  Answer answer;
  answer.Add("input", "input", args.input);
  answer.Add("strategy", "strategy", args.strategy,
             Phrase(args.strategy, args.strategy_note));
  answer.Add("records", "records", problem.records.size());
  answer.Add("plan_micros", "time", Time(time));
  std::vector<std::string> pools;
  for (const MemoryPool& pool : problem.constraints.pools) {
    pools.push_back(pool.name);
  }
  answer.AddTable(TableOfPoints(curve, pools), "points");
  return answer;
}

absl::StatusOr<std::vector<CostPoint>> CurveOf(const PlanArgs& args,
                                               const ProblemFile& file,
                                               const SolveOptions& options) {
  const absl::StatusOr<Problem> problem =
      Problem::Create(SpecFor(file.problem, args.kind, args.alignment));
  if (!problem.ok()) return problem.status();
  return CostCurve(*problem, args.strategy, *args.points, options);
}

}  // namespace

void AddCostAims(CLI::App* verb, PlanArgs* args) {
  AddParsed(verb, "--cost-limit", "N",
            "Problems with prefer_apart: make the smallest plan that costs at "
            "most N, instead of the cheapest plan; exit code 4 if it is proved "
            "that no plan costs so little, 5 if none was found",
            ParseNumber, &args->cost_limit);
  AddParsed(verb, "--pareto", "N",
            "Problems with prefer_apart: instead of a plan, print the least "
            "cost for N capacities, from the smallest total to the total of a "
            "plan of the least cost",
            ParsePoints, &args->points);
}

absl::Status CheckCostAims(const CLI::App& verb, const PlanArgs& args) {
  if (args.points) {
    return CheckNotGiven(
        verb,
        {"--output", "--certificate", "--capacity", "--pool", "--cost-limit",
         "--decide", "--progress", "--no-names", "--html", "--perfetto"},
        "with --pareto, which makes a curve and no plan file; expected one of "
        "them");
  }
  if (args.format == Format::kCsv) {
    return absl::InvalidArgumentError(
        "--format csv: one plan is not a table; expected --pareto N");
  }
  if (!args.cost_limit) return absl::OkStatus();
  return CheckNotGiven(
      verb, {"--decide", "--progress"},
      "with --cost-limit, which makes several searches; expected one of them");
}

absl::Status CheckHasPreferences(const PlanArgs& args,
                                 const ProblemSpec& problem) {
  if (!args.points && !args.cost_limit) return absl::OkStatus();
  if (!problem.constraints.prefer_apart.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(args.points ? "--pareto" : "--cost-limit",
                   ": has no effect on ", InputName(args.input),
                   ", which has no prefer_apart; expected a problem in which "
                   "sharing costs something"));
}

Outcome DeliverCurve(const PlanArgs& args, const ProblemFile& file,
                     SolveOptions options) {
  InterruptionObserver observer;
  options.observer = &observer;
  const absl::Time begin = absl::Now();
  const absl::StatusOr<std::vector<CostPoint>> curve =
      CurveOf(args, file, options);
  const absl::Duration time = absl::Now() - begin;
  if (!curve.ok()) {
    const ExitCode code = ExitCodeOf(curve.status());
    return Failure(
        code, code == ExitCode::kMisuse
                  ? absl::StrCat("stowage plan: ", curve.status().message())
                  : DescribeError(args.input, file.problem, curve.status()));
  }
  const Solution& first = curve->front().solution;
  if (!first.has_plan()) {
    const bool is_proved = first.status == SolutionStatus::kInfeasible;
    Outcome outcome =
        Failure(is_proved ? ExitCode::kInfeasible : ExitCode::kGaveUp,
                absl::StrCat(
                    OneLine(InputName(args.input)), ": ",
                    is_proved ? "infeasible: " : "time limit: ", first.reason));
    if (args.format == Format::kJson) {
      const std::vector<CostPoint> none;
      Answer answer = CurveAnswer(args, none, file.problem, time);
      answer.AddData("status", std::string(SolutionStatusName(first.status)));
      answer.AddData("reason", first.reason);
      outcome.out = answer.Render(args.format);
    }
    return outcome;
  }
  Outcome outcome = {
      ExitCode::kDone,
      CurveAnswer(args, *curve, file.problem, time).Render(args.format), ""};
  const absl::Status written =
      WriteSvgOf(args.pictures.svg, [&](const views::SvgOptions& size) {
        return views::CostCurveSvg(*curve, InputName(args.input), size);
      });
  if (!written.ok()) {
    outcome.code = ExitCode::kBadInput;
    outcome.err = absl::StrCat(OneLine(written.message()), "\n");
  }
  return outcome;
}

}  // namespace stowage::cli
