// SPDX-License-Identifier: Apache-2.0
#include "src/command/verify_report.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/command/json.h"
#include "src/command/plan_verdict.h"
#include "src/command/text.h"
#include "src/verify/violation_kinds.h"
#include "stowage/assignment.h"
#include "stowage/free_order.h"
#include "stowage/problem.h"

namespace stowage::cli {
namespace {

Json ViolationJson(const ProblemSpec& problem, const PlanVerdict& verdict) {
  const ViolationDetails details = DetailsOf(*verdict.violation);
  Json json = {{"kind", std::string(details.name)}};
  for (const size_t tensor : details.tensors) {
    json["tensors"].push_back(problem.names[tensor]);
  }
  for (const ViolationFact& fact : details.facts) {
    const std::string key(fact.key);
    if (fact.is_list) {
      json[key] = fact.values;
    } else {
      json[key] = fact.values[0];
    }
  }
  json["message"] = verdict.message;
  return json;
}

// Returns a violation of the order of tasks as JSON. It refers to tasks and not
// to tensors.
Json OrderViolationJson(const PlanVerdict& verdict) {
  const OrderViolation& violation = *verdict.order_violation;
  Json json;
  if (violation.kind == OrderViolation::Kind::kNotTopological) {
    json["kind"] = "order_not_topological";
    json["edge"] = {violation.edge.before, violation.edge.after};
    json["positions"] = {violation.other_position, violation.position};
  } else {
    json["kind"] = "order_not_of_all_tasks";
  }
  json["message"] = verdict.message;
  return json;
}

}  // namespace

std::string VerdictText(const ProblemSpec& problem,
                        const PlanVerdict& verdict) {
  if (!verdict.is_safe()) {
    return absl::StrCat("unsafe: ", OneLine(verdict.message), "\n");
  }
  const absl::string_view checked =
      verdict.kind == PlanKind::kObjects
          ? "every tensor has an object, and no two live at one task have the "
            "same"
      : !problem.constraints.empty()
          ? "every tensor is where its constraints allow, and no two that "
            "conflict share a byte"
      : !HasFixedOffsets(problem)
          ? "every tensor has an aligned offset, and no two live at one task "
            "share a byte"
          : "every tensor has an aligned offset, its fixed one if it has one, "
            "and no two live at one task share a byte";
  return absl::StrCat("safe: ", Count(verdict.records, "tensor"), " in ",
                      FormatBytes(verdict.total_size), "\nchecked: ",
                      verdict.has_order ? "the order keeps every edge, " : "",
                      checked, "\n");
}

Json VerdictJson(const ProblemSpec& problem, const PlanVerdict& verdict) {
  if (verdict.order_violation) {
    return {{"records", problem.records.size()},
            {"safe", false},
            {"violation", OrderViolationJson(verdict)}};
  }
  Json document = {{"kind", std::string(PlanKindName(verdict.kind))},
                   {"records", verdict.records},
                   {"total_size", verdict.total_size},
                   {"safe", !verdict.violation}};
  if (verdict.violation) {
    document["violation"] = ViolationJson(problem, verdict);
  }
  return document;
}

}  // namespace stowage::cli
