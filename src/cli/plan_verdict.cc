// SPDX-License-Identifier: Apache-2.0
#include "src/cli/plan_verdict.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/cli/inputs.h"
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

}  // namespace stowage::cli
