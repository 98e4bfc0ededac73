// SPDX-License-Identifier: Apache-2.0
#include "src/command/verify_report.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/command/json.h"
#include "src/command/plan_verdict.h"
#include "src/command/text.h"
#include "stowage/assignment.h"
#include "stowage/free_order.h"
#include "stowage/trace.h"
#include "stowage/verify.h"

namespace stowage::cli {
namespace {

// Returns the name of the enumerator in lower case, or null for a violation
// that a plan file cannot have.
const char* KindName(Violation::Kind kind) {
  switch (kind) {
    case Violation::Kind::kOverlappingBytes:
      return "overlapping_bytes";
    case Violation::Kind::kSharedObject:
      return "shared_object";
    case Violation::Kind::kMisaligned:
      return "misaligned";
    case Violation::Kind::kBeyondArena:
      return "beyond_arena";
    case Violation::Kind::kNotAtFixedOffset:
      return "not_at_fixed_offset";
    case Violation::Kind::kOutsideRange:
      return "outside_range";
    case Violation::Kind::kGroupBroken:
      return "group_broken";
    case Violation::Kind::kInHole:
      return "in_hole";
    case Violation::Kind::kNotApart:
      return "not_apart";
    case Violation::Kind::kWrongPool:
      return "wrong_pool";
    case Violation::Kind::kBeyondPool:
      return "beyond_pool";
    case Violation::Kind::kBeyondCapacity:
      return "beyond_capacity";
    case Violation::Kind::kUnorderedSharing:
      return "unordered_sharing";
    default:
      return nullptr;
  }
}

void AddBytes(const Violation& violation, Json* json) {
  (*json)["begin"] = violation.begin;
  (*json)["end"] = violation.end;
}

void AddSecond(const Trace& trace, const Violation& violation, Json* json) {
  (*json)["tensors"].push_back(trace.ids[violation.second_tensor]);
}

// Adds the witness of a violation of a constraint.
void AddConstraint(const Trace& trace, const Violation& violation, Json* json) {
  switch (violation.kind) {
    case Violation::Kind::kOutsideRange:
      AddBytes(violation, json);
      (*json)["limit"] = violation.limit;
      return;
    case Violation::Kind::kGroupBroken:
      AddSecond(trace, violation, json);
      (*json)["offsets"] = {violation.begin, violation.end};
      (*json)["displacement"] = violation.limit;
      return;
    case Violation::Kind::kInHole:
      AddBytes(violation, json);
      (*json)["hole"] = violation.hole;
      (*json)["task"] = violation.task;
      return;
    case Violation::Kind::kNotApart:
      AddSecond(trace, violation, json);
      return AddBytes(violation, json);
    case Violation::Kind::kWrongPool:
      if (violation.second_tensor != violation.first_tensor) {
        AddSecond(trace, violation, json);
      }
      (*json)["pool"] = violation.pool;
      return;
    case Violation::Kind::kBeyondPool:
      AddBytes(violation, json);
      (*json)["pool"] = violation.pool;
      (*json)["capacity"] = violation.limit;
      return;
    case Violation::Kind::kBeyondCapacity:
      AddBytes(violation, json);
      (*json)["capacity"] = violation.limit;
      return;
    case Violation::Kind::kUnorderedSharing:
      AddSecond(trace, violation, json);
      AddBytes(violation, json);
      (*json)["tasks"] = {violation.task, violation.second_task};
      if (violation.third_task != violation.second_task) {
        (*json)["tasks"].push_back(violation.third_task);
      }
      return;
    default:
      return;
  }
}

// Adds the witness of a violation, except for the first tensor.
void AddWitness(const Trace& trace, const Violation& violation, Json* json) {
  switch (violation.kind) {
    case Violation::Kind::kOverlappingBytes:
      AddSecond(trace, violation, json);
      (*json)["task"] = violation.task;
      return AddBytes(violation, json);
    case Violation::Kind::kSharedObject:
      AddSecond(trace, violation, json);
      (*json)["task"] = violation.task;
      (*json)["object"] = violation.object;
      return;
    case Violation::Kind::kMisaligned:
      (*json)["begin"] = violation.begin;
      (*json)["alignment"] = violation.limit;
      return;
    case Violation::Kind::kNotAtFixedOffset:
      (*json)["begin"] = violation.begin;
      (*json)["fixed"] = violation.limit;
      return;
    case Violation::Kind::kBeyondArena:
      AddBytes(violation, json);
      (*json)["limit"] = violation.limit;
      return;
    default:
      return AddConstraint(trace, violation, json);
  }
}

Json ViolationJson(const Trace& trace, const PlanVerdict& verdict) {
  const Violation& violation = *verdict.violation;
  const char* const kind = KindName(violation.kind);
  Json json = {{"kind", kind == nullptr ? "other" : kind}};
  if (kind != nullptr) {
    json["tensors"] = {trace.ids[violation.first_tensor]};
    AddWitness(trace, violation, &json);
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

std::string VerdictText(const Trace& trace, const PlanVerdict& verdict) {
  if (!verdict.is_safe()) {
    return absl::StrCat("unsafe: ", OneLine(verdict.message), "\n");
  }
  const absl::string_view checked =
      verdict.kind == PlanKind::kObjects
          ? "every tensor has an object, and no two live at one task have the "
            "same"
      : !trace.constraints.empty()
          ? "every tensor is where its constraints allow, and no two that "
            "conflict share a byte"
      : trace.fixed_offsets().empty()
          ? "every tensor has an aligned offset, and no two live at one task "
            "share a byte"
          : "every tensor has an aligned offset, its fixed one if it has one, "
            "and no two live at one task share a byte";
  return absl::StrCat("safe: ", Count(verdict.records, "tensor"), " in ",
                      FormatBytes(verdict.total_size), "\nchecked: ",
                      verdict.has_order ? "the order keeps every edge, " : "",
                      checked, "\n");
}

Json VerdictJson(const Trace& trace, const PlanVerdict& verdict) {
  if (verdict.order_violation) {
    return {{"records", trace.records.size()},
            {"safe", false},
            {"violation", OrderViolationJson(verdict)}};
  }
  Json document = {{"kind", std::string(PlanKindName(verdict.kind))},
                   {"records", verdict.records},
                   {"total_size", verdict.total_size},
                   {"safe", !verdict.violation}};
  if (verdict.violation) {
    document["violation"] = ViolationJson(trace, verdict);
  }
  return document;
}

}  // namespace stowage::cli
