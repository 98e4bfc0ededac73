// SPDX-License-Identifier: Apache-2.0
#include "src/command/verify_carried.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/dynamic_inputs.h"
#include "src/command/dynamic_plan.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/plan_verdict.h"
#include "src/command/pools.h"
#include "src/command/text.h"
#include "stowage/base/text.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/recordings/recording.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "stowage/verify/violation_details.h"

namespace stowage::cli {
namespace {

// A part of the file, and the verdict on the plan in this part.
struct CarriedPlan {
  std::string part;
  ProblemSpec problem;
  absl::optional<size_t> arena_size;
  bool has_plan = false;
  PlanVerdict verdict;
};

// Returns the problem that the plan of a runtime must solve. In this problem,
// the records that the runtime keeps are live at every task, and the capacity
// is the size of the runtime's arena.
ProblemSpec RuntimeProblem(const RecordingPart& part) {
  ProblemSpec problem = part.file.problem;
  TaskId last = 0;
  for (const TensorUsageRecord<size_t>& record : problem.records) {
    last = std::max(last, record.last_task);
  }
  for (const size_t kept : part.kept) {
    problem.records[kept].first_task = 0;
    problem.records[kept].last_task = last;
  }
  if (part.file.plan.arena_size) problem.capacity = part.file.plan.arena_size;
  return problem;
}

// Returns a message that states what is wrong with the plan and, if the
// operator has a name, at which operator.
std::string MessageOf(const CarriedPlan& plan) {
  const Violation& violation = *plan.verdict.violation;
  const ProblemSpec& problem = plan.problem;
  if (violation.kind == Violation::Kind::kBeyondCapacity && plan.arena_size) {
    return absl::StrCat("tensor '", problem.names[violation.first_tensor],
                        "' ends at byte ", violation.end,
                        ", beyond the buffer of ", *plan.arena_size, " bytes");
  }
  std::string message = plan.verdict.message;
  const bool has_task = DetailsOf(violation).held_twice != HeldTwice::kNothing;
  const std::vector<std::string>& operators = problem.labels.operators;
  if (has_task && violation.task < operators.size()) {
    absl::StrAppend(&message, " (", operators[violation.task], ")");
  }
  return message;
}

absl::StatusOr<CarriedPlan> CheckPart(const CarriedArgs& args,
                                      const RecordingPart& part) {
  CarriedPlan plan;
  plan.part = part.name;
  plan.problem = RuntimeProblem(part);
  plan.arena_size = part.file.plan.arena_size;
  // If there are no records, the file has no column that could show that it
  // contains a plan.
  plan.has_plan = !part.file.plan.empty() || part.file.problem.records.empty();
  if (!plan.has_plan) return plan;
  ProblemFile asked = part.file;
  asked.problem = plan.problem;
  if (absl::Status s = ApplyPools(args.pools, args.path, &asked.problem);
      !s.ok()) {
    return s;
  }
  const NamedFile file = {args.path, std::move(asked)};
  absl::StatusOr<PlanVerdict> verdict =
      CheckPlanFile(file, file, args.alignment);
  if (!verdict.ok()) return verdict.status();
  plan.verdict = *std::move(verdict);
  if (plan.verdict.violation) plan.verdict.message = MessageOf(plan);
  return plan;
}

// Returns an error for an option that has no effect on the inputs that were
// read.
absl::Status CheckUsable(const CarriedArgs& args, const InputReader& inputs,
                         absl::Span<const RecordingPart> parts) {
  if (absl::Status s = inputs.CheckOptions(); !s.ok()) return s;
  if (!args.alignment) return absl::OkStatus();
  for (const RecordingPart& part : parts) {
    if (part.file.plan.objects.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--alignment: has no effect on ", InputName(args.path),
        ", a plan of shared objects, which have no offset; expected a plan of "
        "offsets"));
  }
  return absl::OkStatus();
}

Json PartJson(const CarriedPlan& plan) {
  Json json;
  if (!plan.part.empty()) json["part"] = plan.part;
  json["records"] = plan.problem.records.size();
  if (!plan.has_plan) {
    json["safe"] = nullptr;
    return json;
  }
  const PlanVerdict& verdict = plan.verdict;
  json["kind"] = std::string(PlanKindName(verdict.kind));
  json["total_size"] = verdict.total_size;
  if (plan.arena_size) json["arena_size"] = *plan.arena_size;
  if (verdict.cost) json["cost"] = *verdict.cost;
  json["safe"] = verdict.is_safe();
  if (!verdict.is_safe()) {
    json["violation"] = ViolationJson(plan.problem, verdict);
  }
  return json;
}

void SayPart(const CarriedPlan& plan, Answer* answer) {
  const PlanVerdict& verdict = plan.verdict;
  const std::string part =
      plan.part.empty() ? "" : absl::StrCat(OneLine(plan.part), ": ");
  if (!plan.has_plan) {
    answer->SayLine(Phrase(part, "no plan"));
    return;
  }
  if (!verdict.is_safe()) {
    answer->SayLine(Phrase(part, "unsafe: ", verdict.message));
    return;
  }
  answer->SayLine(Phrase(
      part, "safe: ", Count(verdict.records, "tensor"), " in ",
      Size(verdict.total_size),
      plan.arena_size ? Phrase(" of a buffer of ", Size(*plan.arena_size))
                      : Value(),
      verdict.cost ? Phrase(", at a cost of ", *verdict.cost) : Value()));
  answer->SayLine(
      Phrase(part, "checked: ", CheckedRules(plan.problem, verdict.kind),
             plan.arena_size ? ", and none ends beyond the buffer" : ""));
}

// For a problem with parameters, verifies the plan in its file for all values
// of the parameters.
Outcome VerifyDynamic(const CarriedArgs& args, const InputReader& inputs,
                      const DynamicInput& dynamic) {
  absl::Status usable = inputs.CheckOptions();
  if (usable.ok() && (args.alignment || !args.pools.pools.empty())) {
    usable = absl::InvalidArgumentError(absl::StrCat(
        args.alignment ? "--alignment" : "--pool",
        ": has no effect on a problem with parameters; expected --at VALUE "
        "with it"));
  }
  if (!usable.ok()) return Misuse("verify", usable.message());
  return VerifyAllValues(args.path, *dynamic.problem,
                         {args.path, &dynamic, nullptr}, args.format);
}

}  // namespace

Outcome VerifyCarried(const CarriedArgs& args) {
  InputReader inputs(args.input);
  DynamicInput dynamic;
  inputs.KeepDynamic(&dynamic);
  const absl::StatusOr<std::vector<RecordingPart>> parts =
      inputs.ReadParts(args.path);
  if (!parts.ok()) return NotRead(parts.status(), dynamic);
  if (dynamic.is_read()) return VerifyDynamic(args, inputs, dynamic);
  if (absl::Status s = CheckUsable(args, inputs, *parts); !s.ok()) {
    return Misuse("verify", s.message());
  }
  std::vector<CarriedPlan> plans;
  bool has_plan = false;
  bool is_safe = true;
  for (const RecordingPart& part : *parts) {
    absl::StatusOr<CarriedPlan> plan = CheckPart(args, part);
    if (!plan.ok()) return BadInput(plan.status());
    has_plan |= plan->has_plan;
    is_safe &= plan->verdict.is_safe();
    plans.push_back(*std::move(plan));
  }
  if (!has_plan) {
    return Failure(
        ExitCode::kBadInput,
        absl::StrCat(
            InputName(args.path),
            ": has no plan; expected the argument PLAN, --certificate, or a "
            "file that itself has offsets or objects"));
  }
  Answer answer;
  answer.AddData("input", args.path);
  answer.AddData("safe", is_safe);
  answer.AddList("parts", plans.size(),
                 [&plans](size_t i) { return PartJson(plans[i]); });
  for (const CarriedPlan& plan : plans) SayPart(plan, &answer);
  Outcome outcome;
  if (!is_safe) outcome.code = ExitCode::kRefuted;
  outcome.out = answer.Render(args.format);
  return outcome;
}

}  // namespace stowage::cli
