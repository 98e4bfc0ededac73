// SPDX-License-Identifier: Apache-2.0
// Formats the rows of `stowage compare` for other programs and for pull
// requests.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/compare.h"
#include "src/command/compare_rows.h"
#include "src/command/json.h"
#include "src/command/text.h"
#include "stowage/compare.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"
#include "stowage/views/compare_page.h"

namespace stowage::cli {
namespace {

Json ComparedPlanJson(const Comparison& comparison, const ComparedInput& input,
                      const ComparedPlan& plan) {
  Json json = {{"strategy", plan.strategy},
               {"kind", std::string(PlanKindName(plan.kind))},
               {"total_size", nullptr},
               {"status", std::string(plan.StatusName())},
               {"plan_micros", Micros(absl::Nanoseconds(plan.time_ns))}};
  if (comparison.capacity) {
    const absl::optional<bool> fits = Fits(plan);
    json["fits"] = fits ? Json(*fits) : Json();
  }
  if (plan.total_size) {
    json["total_size"] = *plan.total_size;
    if (plan.cost) {
      json["cost"] = *plan.cost;
      json["cost_bound"] = plan.cost_bound;
    }
    for (size_t p = 0; p < plan.pool_sizes.size(); ++p) {
      json["pool_sizes"][input.pools[p]] = plan.pool_sizes[p];
    }
  } else {
    json["reason"] = plan.reason;
  }
  return json;
}

// Returns the limits of searches. A limit that is not set is null. By default,
// the number of threads is null, which means one thread per core.
Json SearchJson(const SolveOptions& solve) {
  Json json = {{"time_limit_millis", nullptr},
               {"nodes", nullptr},
               {"seed", solve.seed},
               {"threads", nullptr}};
  if (solve.node_budget) {
    json["nodes"] = *solve.node_budget;
  } else {
    json["time_limit_millis"] =
        absl::ToDoubleMilliseconds(DurationOf(solve.time_limit_ns));
  }
  if (solve.threads > 0) json["threads"] = solve.threads;
  return json;
}

Json ComparedInputJson(const Comparison& comparison,
                       const ComparedInput& input) {
  Json plans = Json::array();
  for (const ComparedPlan& plan : input.plans) {
    plans.push_back(ComparedPlanJson(comparison, input, plan));
  }
  Json row = {
      {"input", input.name},
      {"records", input.records},
      {"naive_size", input.naive_size},
      {"lower_bound",
       {{"offsets", input.offsets_bound}, {"objects", input.objects_bound}}}};
  if (!input.lifetimes.empty()) row["lifetimes"] = input.lifetimes;
  row["plans"] = std::move(plans);
  return row;
}

// Returns the table of plans for CSV and Markdown. The cell of an unknown
// number is empty.
AnswerTable PlansTable(const Comparison& comparison) {
  const bool has_costs = HasCosts(comparison.inputs);
  AnswerTable table;
  table.columns = {"input",  "records>", "bound>", "strategy", "kind",
                   "total>", "ratio>",   "status", "micros>"};
  if (has_costs) {
    table.columns.emplace_back("cost>");
    table.columns.emplace_back("cost bound>");
    table.columns.emplace_back("pools");
  }
  table.rest = "$0 rows more: `--format csv` has all.";
  std::vector<std::pair<const ComparedInput*, const ComparedPlan*>> rows;
  for (const ComparedInput& input : comparison.inputs) {
    for (const ComparedPlan& plan : input.plans) {
      rows.emplace_back(&input, &plan);
    }
  }
  table.count = rows.size();
  table.row = [rows, has_costs](size_t k) {
    const ComparedInput& input = *rows[k].first;
    const ComparedPlan& plan = *rows[k].second;
    const size_t bound = input.LowerBound(plan.kind);
    const absl::optional<double> ratio =
        plan.total_size ? Ratio(*plan.total_size, bound) : absl::nullopt;
    std::vector<Value> row = {
        input.name,
        input.records,
        bound,
        plan.strategy,
        PlanKindName(plan.kind),
        plan.total_size ? Value(*plan.total_size) : Value(),
        ratio ? Value(FormatRatio(ratio)) : Value(),
        plan.StatusName(),
        plan.total_size ? Value(absl::StrFormat(
                              "%.3f", Micros(absl::Nanoseconds(plan.time_ns))))
                        : Value()};
    if (has_costs) {
      row.push_back(plan.cost ? Value(*plan.cost) : Value());
      row.push_back(plan.cost ? Value(plan.cost_bound) : Value());
      row.emplace_back(PoolsText(input, plan));
    }
    return row;
  };
  return table;
}

}  // namespace

Answer CompareAnswer(const Comparison& comparison) {
  Answer answer;
  if (comparison.has_search) {
    answer.AddData("search", SearchJson(comparison.solve));
  }
  if (comparison.capacity) answer.AddData("capacity", *comparison.capacity);
  answer.AddList("rows", comparison.inputs.size(), [&comparison](size_t i) {
    return ComparedInputJson(comparison, comparison.inputs[i]);
  });
  if (!comparison.failed.empty()) {
    answer.AddList("failed", comparison.failed.size(), [&comparison](size_t i) {
      const FailedInput& failed = comparison.failed[i];
      return Json({{"input", failed.name}, {"reason", failed.reason}});
    });
  }
  answer.AddTable(PlansTable(comparison));
  return answer;
}

std::string CompareHtml(const Comparison& comparison) {
  std::vector<views::ComparePageRow> rows;
  for (const ComparedInput& input : comparison.inputs) {
    for (const PlanKind kind : comparison.kinds) {
      views::ComparePageRow row = {input.name,
                                   input.records,
                                   input.naive_size,
                                   input.LowerBound(kind),
                                   kind,
                                   {}};
      for (const ComparedPlan& plan : input.plans) {
        if (plan.kind == kind) row.plans.push_back(plan);
      }
      rows.push_back(row);
    }
  }
  return views::FormatComparePage(
      rows, comparison.inputs.size() == 1
                ? comparison.inputs[0].name
                : Count(comparison.inputs.size(), "input"));
}

}  // namespace stowage::cli
