// SPDX-License-Identifier: Apache-2.0
#include "src/cli/plan_verdict.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/cli/inputs.h"
#include "src/cli/json.h"
#include "src/cli/text.h"
#include "src/trace/match_rows.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"
#include "stowage/trace.h"
#include "stowage/verify.h"

namespace stowage::cli {
namespace {

absl::Status OfPlan(const NamedTrace& plan, const absl::Status& status) {
  return absl::Status(status.code(),
                      DescribeError(plan.path, plan.trace, status));
}

absl::StatusOr<PlanVerdict> CheckOffsets(const Problem& problem,
                                         const NamedTrace& plan,
                                         const std::vector<size_t>& rows) {
  absl::StatusOr<OffsetsAssignment> assignment = OffsetsOf(plan.trace);
  if (!assignment.ok()) return OfPlan(plan, assignment.status());
  assignment->offsets = InTraceOrder(assignment->offsets, rows);
  PlanVerdict verdict;
  verdict.total_size = assignment->total_size;
  verdict.violation = FindViolation(problem, *assignment);
  return verdict;
}

absl::StatusOr<PlanVerdict> CheckObjects(const Problem& problem,
                                         const NamedTrace& plan,
                                         const std::vector<size_t>& rows) {
  absl::StatusOr<ObjectsAssignment<size_t>> assignment = ObjectsOf(plan.trace);
  const absl::StatusOr<size_t> total =
      assignment.ok() ? TotalSize(*assignment) : assignment.status();
  if (!total.ok()) return OfPlan(plan, total.status());
  assignment->object_ids = InTraceOrder(assignment->object_ids, rows);
  PlanVerdict verdict;
  verdict.kind = PlanKind::kObjects;
  verdict.total_size = *total;
  verdict.violation = FindViolation(problem.records(), *assignment);
  if (verdict.violation) {
    // The number that the file has for it.
    const size_t row = rows[verdict.violation->first_tensor];
    verdict.violation->object = plan.trace.objects[row];
  }
  return verdict;
}

Json ViolationJson(const Trace& trace, const Violation& violation) {
  const std::string& first = trace.ids[violation.first_tensor];
  Json json = {{"kind", "other"}, {"tensors", {first}}};
  switch (violation.kind) {
    case Violation::Kind::kOverlappingBytes:
      json["kind"] = "overlapping_bytes";
      json["tensors"].push_back(trace.ids[violation.second_tensor]);
      json["task"] = violation.task;
      json["begin"] = violation.begin;
      json["end"] = violation.end;
      break;
    case Violation::Kind::kSharedObject:
      json["kind"] = "shared_object";
      json["tensors"].push_back(trace.ids[violation.second_tensor]);
      json["task"] = violation.task;
      json["object"] = violation.object;
      break;
    case Violation::Kind::kMisaligned:
      json["kind"] = "misaligned";
      json["begin"] = violation.begin;
      json["alignment"] = violation.limit;
      break;
    case Violation::Kind::kMoved:
      json["kind"] = "moved";
      json["begin"] = violation.begin;
      json["fixed"] = violation.limit;
      break;
    default:  // no file can say it; the message does
      break;
  }
  json["message"] = Describe(violation, trace.ids);
  return json;
}

}  // namespace

absl::StatusOr<PlanVerdict> CheckPlanFile(const NamedTrace& trace,
                                          const NamedTrace& plan,
                                          absl::optional<size_t> alignment) {
  const absl::StatusOr<std::vector<size_t>> rows = MatchRows(
      trace.trace, InputName(trace.path), plan.trace, InputName(plan.path));
  if (!rows.ok()) return rows.status();
  // A file without rows has no columns either, and nothing that could be wrong.
  if (rows->empty()) return PlanVerdict();
  if (plan.trace.offsets.empty() && plan.trace.objects.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(InputName(plan.path),
                     ": no plan; expected a column offset or a column object"));
  }
  const PlanKind kind =
      plan.trace.objects.empty() ? PlanKind::kOffsets : PlanKind::kObjects;
  const absl::StatusOr<Problem> problem =
      Problem::Create(ProblemSpecOf(trace.trace, kind, alignment));
  if (!problem.ok()) {
    return absl::Status(
        problem.status().code(),
        DescribeError(trace.path, trace.trace, problem.status()));
  }
  absl::StatusOr<PlanVerdict> verdict =
      kind == PlanKind::kOffsets ? CheckOffsets(*problem, plan, *rows)
                                 : CheckObjects(*problem, plan, *rows);
  if (verdict.ok()) verdict->records = rows->size();
  return verdict;
}

std::string VerdictText(const Trace& trace, const PlanVerdict& verdict) {
  if (verdict.violation) {
    return absl::StrCat(
        "unsafe: ", OneLine(Describe(*verdict.violation, trace.ids)), "\n");
  }
  const absl::string_view checked =
      verdict.kind == PlanKind::kObjects
          ? "every tensor has an object, and no two live at one task have the "
            "same"
      : trace.fixed_offsets().empty()
          ? "every tensor has an aligned offset, and no two live at one task "
            "share a byte"
          : "every tensor has an aligned offset, its fixed one if it has one, "
            "and no two live at one task share a byte";
  return absl::StrCat("safe: ", Count(verdict.records, "tensor"), " in ",
                      FormatBytes(verdict.total_size), "\nchecked: ", checked,
                      "\n");
}

Json VerdictJson(const Trace& trace, const PlanVerdict& verdict) {
  Json document = {{"kind", std::string(PlanKindName(verdict.kind))},
                   {"records", verdict.records},
                   {"total_size", verdict.total_size},
                   {"safe", !verdict.violation}};
  if (verdict.violation) {
    document["violation"] = ViolationJson(trace, *verdict.violation);
  }
  return document;
}

}  // namespace stowage::cli
