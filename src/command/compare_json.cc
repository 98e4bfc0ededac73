// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/command/compare.h"
#include "src/command/compare_rows.h"
#include "src/command/json.h"
#include "src/model/watch.h"
#include "stowage/compare.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

Json RowJson(const Comparison& comparison, const ComparedInput& input,
             const ComparedPlan& plan) {
  Json json = {{"strategy", plan.strategy},
               {"kind", std::string(PlanKindName(plan.kind))},
               {"total_size", nullptr},
               {"status", std::string(plan.StatusName())},
               {"plan_micros", Micros(plan.time)}};
  if (comparison.capacity) {
    const absl::optional<bool> fits = Fits(plan);
    json["fits"] = fits ? Json(*fits) : Json();
  }
  if (plan.total_size) {
    json["total_size"] = *plan.total_size;
    if (plan.cost) json["cost"] = *plan.cost;
    for (size_t p = 0; p < plan.pool_sizes.size(); ++p) {
      json["pool_sizes"][input.pools[p]] = plan.pool_sizes[p];
    }
  } else {
    json["reason"] = plan.reason;
  }
  return json;
}

// Returns the limits of searches. A limit that is not set is null. The number
// of threads is null by default, which stands for one thread on each core.
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

}  // namespace

std::string CompareJson(const Comparison& comparison) {
  Json rows = Json::array();
  for (const ComparedInput& input : comparison.inputs) {
    Json plans = Json::array();
    for (const ComparedPlan& plan : input.plans) {
      plans.push_back(RowJson(comparison, input, plan));
    }
    Json row = {
        {"input", input.name},
        {"records", input.records},
        {"naive_size", input.naive_size},
        {"lower_bound",
         {{"offsets", input.offsets_bound}, {"objects", input.objects_bound}}}};
    if (!input.lifetimes.empty()) row["lifetimes"] = input.lifetimes;
    row["plans"] = std::move(plans);
    rows.push_back(std::move(row));
  }
  Json document = Json::object();
  if (comparison.has_search) document["search"] = SearchJson(comparison.solve);
  if (comparison.capacity) document["capacity"] = *comparison.capacity;
  document["rows"] = std::move(rows);
  for (const FailedInput& failed : comparison.failed) {
    document["failed"].push_back(
        {{"input", failed.name}, {"reason", failed.reason}});
  }
  return Dump(document);
}

}  // namespace stowage::cli
