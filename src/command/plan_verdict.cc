// SPDX-License-Identifier: Apache-2.0
#include "src/command/plan_verdict.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/pools.h"
#include "stowage/assignment.h"
#include "stowage/io/match_rows.h"
#include "stowage/io/problem_file.h"
#include "stowage/plan_cost.h"
#include "stowage/problem.h"
#include "stowage/programs/program_file.h"
#include "stowage/verify.h"
#include "stowage/verify/violation_details.h"

namespace stowage::cli {
namespace {

// Sets *pools to the pools that the plan has chosen, in the order of the
// records of the trace. Pools have the numbers that they have in the problem.
absl::Status TranslatePools(const Problem& problem, const NamedFile& plan,
                            const std::vector<size_t>& rows,
                            std::vector<uint32_t>* pools) {
  const std::vector<std::string> known = PoolNames(problem);
  const std::vector<uint32_t>& chosen = plan.file.plan.chosen_pools;
  if (known.empty() != chosen.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        InputName(plan.path),
        known.empty() ? ": pools for a problem that has none; expected --pool, "
                        "as the plan was made with"
                      : ": no pools; expected the one of each tensor"));
  }
  pools->clear();
  if (known.empty()) return absl::OkStatus();
  for (const size_t row : rows) {
    const std::string& name =
        plan.file.problem.constraints.pools[chosen[row]].name;
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          InputName(plan.path), ": id '", plan.file.problem.names[row],
          "' is in pool '", name, "'; expected a pool of the problem"));
    }
    pools->push_back(static_cast<uint32_t>(found - known.begin()));
  }
  return absl::OkStatus();
}

// Checks the plan of a program by following the values in memory from each
// write to each read. Returns a sentence about the first fault, or an empty
// string if there is no fault.
absl::StatusOr<std::string> FaultOf(const Problem& problem,
                                    const OffsetsAssignment& plan) {
  const ProgramSource& source = *problem.labels().program;
  const auto offsets =
      SlotOffsets(source, problem.alignments().Of(0), plan.offsets);
  if (!offsets.ok()) return offsets.status();
  std::vector<ScratchMemory> scratch;
  for (size_t i = 0; i < source.scratch.size(); ++i) {
    scratch.push_back({source.scratch[i].first, source.scratch[i].second,
                       plan.offsets[source.slots.size() + i]});
  }
  return DescribeProgramFault(source, *offsets, scratch);
}

absl::StatusOr<PlanVerdict> CheckOffsets(const Problem& problem,
                                         const NamedFile& plan,
                                         const std::vector<size_t>& rows) {
  absl::StatusOr<OffsetsAssignment> assignment =
      OffsetsOf(plan.file.problem, plan.file.plan);
  if (!assignment.ok()) {
    return AboutInput(plan.path, plan.file.problem, assignment.status());
  }
  assignment->offsets = InRecordOrder(assignment->offsets, rows);
  if (absl::Status s = TranslatePools(problem, plan, rows, &assignment->pools);
      !s.ok()) {
    return s;
  }
  PlanVerdict verdict;
  verdict.total_size = assignment->total_size;
  verdict.violation = FindViolation(problem, *assignment);
  if (!verdict.violation) {
    verdict.violation = FindBeyondCapacity(problem, *assignment);
  }
  if (problem.labels().program != nullptr && !verdict.violation) {
    absl::StatusOr<std::string> fault = FaultOf(problem, *assignment);
    if (!fault.ok()) return AboutInput(plan.path, {}, fault.status());
    verdict.fault = *std::move(fault);
  }
  if (HasCost(problem) && !verdict.violation) {
    verdict.cost = CostOfPlan(problem, *assignment);
  }
  return verdict;
}

absl::StatusOr<PlanVerdict> CheckObjects(const Problem& problem,
                                         const NamedFile& plan,
                                         const std::vector<size_t>& rows) {
  absl::StatusOr<ObjectsAssignment<size_t>> assignment =
      ObjectsOf(plan.file.problem, plan.file.plan);
  const absl::StatusOr<size_t> total =
      assignment.ok() ? TotalSize(*assignment) : assignment.status();
  if (!total.ok()) {
    return AboutInput(plan.path, plan.file.problem, total.status());
  }
  assignment->object_ids = InRecordOrder(assignment->object_ids, rows);
  PlanVerdict verdict;
  verdict.kind = PlanKind::kObjects;
  verdict.total_size = *total;
  verdict.violation = FindViolation(problem.records(), *assignment);
  if (!verdict.violation) {
    verdict.violation = FindBeyondCapacity(problem, *assignment);
  }
  if (verdict.violation) {
    // The violation identifies the object by its number in the plan file.
    const size_t row = rows[verdict.violation->first_tensor];
    verdict.violation->object = plan.file.plan.objects[row];
  }
  return verdict;
}

}  // namespace

absl::StatusOr<PlanVerdict> CheckPlanFile(const NamedFile& asked,
                                          const NamedFile& plan,
                                          absl::optional<size_t> alignment) {
  const absl::StatusOr<std::vector<size_t>> rows =
      MatchRows(asked.file.problem, InputName(asked.path), plan.file.problem,
                InputName(plan.path));
  if (!rows.ok()) return rows.status();
  // A file without rows has no columns either, so it contains no plan that
  // could be wrong.
  if (rows->empty()) return PlanVerdict();
  if (plan.file.plan.offsets.empty() && plan.file.plan.objects.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(InputName(plan.path),
                     ": no plan; expected a column offset or a column object"));
  }
  const PlanKind kind =
      plan.file.plan.objects.empty() ? PlanKind::kOffsets : PlanKind::kObjects;
  const absl::StatusOr<Problem> problem =
      Problem::Create(SpecFor(asked.file.problem, kind, alignment));
  if (!problem.ok()) {
    return AboutInput(asked.path, asked.file.problem, problem.status());
  }
  absl::StatusOr<PlanVerdict> verdict =
      kind == PlanKind::kOffsets ? CheckOffsets(*problem, plan, *rows)
                                 : CheckObjects(*problem, plan, *rows);
  if (!verdict.ok()) return verdict;
  verdict->records = rows->size();
  if (verdict->violation) {
    verdict->message = Describe(*verdict->violation, *problem);
  } else if (!verdict->fault.empty()) {
    verdict->message = verdict->fault;
  }
  return verdict;
}

Json ViolationJson(const ProblemSpec& problem, const PlanVerdict& verdict) {
  if (!verdict.violation) {
    return {{"kind", "value"}, {"message", verdict.message}};
  }
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

absl::string_view CheckedRules(const ProblemSpec& problem, PlanKind kind) {
  if (kind == PlanKind::kObjects) {
    return "every tensor has an object, and no two live at one task have the "
           "same";
  }
  if (problem.labels.program != nullptr) {
    return "no two tensors that conflict share a byte, and every read finds "
           "the "
           "value that was written, on every path through the program";
  }
  if (!problem.constraints.empty()) {
    return "every tensor is where its constraints allow, and no two that "
           "conflict share a byte";
  }
  return !HasFixedOffsets(problem)
             ? "every tensor has an aligned offset, and no two live at one "
               "task share a byte"
             : "every tensor has an aligned offset, its fixed one if it has "
               "one, and no two live at one task share a byte";
}

}  // namespace stowage::cli
