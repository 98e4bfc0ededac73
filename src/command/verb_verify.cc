// SPDX-License-Identifier: Apache-2.0
// The verb `stowage verify`, which checks one of the following:
//
// - whether a plan is safe for a trace,
// - whether the plan in a file is safe for the problem in the same file
//   (verify_carried.h),
// - whether a plan in which tensors may share memory is safe
//   (verify_by_value.h),
// - whether a certificate is correct.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/dynamic_inputs.h"
#include "src/command/dynamic_plan.h"
#include "src/command/free_order.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/options.h"
#include "src/command/plan_verdict.h"
#include "src/command/pools.h"
#include "src/command/program_plan.h"
#include "src/command/progress.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "src/command/verify_by_value.h"
#include "src/command/verify_carried.h"
#include "stowage/certificate.h"
#include "stowage/dynamic/dynamic_certificate.h"
#include "stowage/free_order.h"
#include "stowage/io/input_file.h"
#include "stowage/io/match_rows.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/verify.h"

namespace stowage::cli {
namespace {

struct VerifyArgs {
  std::string trace_path;
  std::string plan_path;
  bool has_plan = false;
  std::string certificate_path;
  absl::optional<size_t> alignment;
  PoolArgs pools;
  Format format = Format::kText;
  InputOptions trace;
  bool by_value = false;  // says whether --sharing any is given
};

// Returns an error about --alignment if the plan is of shared objects, which
// have no alignment.
absl::Status CheckHasOffsets(const VerifyArgs& args, const ProblemFile& plan) {
  if (plan.plan.objects.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--alignment: has no effect on ", InputName(args.plan_path),
      ", a plan of shared objects, which have no offset; expected a plan of "
      "offsets"));
}

// Returns a violation of the order of tasks as JSON. Such a violation is about
// tasks rather than tensors.
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

// Adds the verdict on the plan to the answer.
void AddVerdict(const ProblemSpec& problem, const PlanVerdict& verdict,
                Answer* answer) {
  if (verdict.order_violation) {
    answer->AddData("records", problem.records.size());
  } else {
    answer->AddData("kind", std::string(PlanKindName(verdict.kind)));
    answer->AddData("records", verdict.records);
    answer->AddData("total_size", verdict.total_size);
  }
  if (verdict.cost) answer->AddData("cost", *verdict.cost);
  answer->AddData("safe", verdict.is_safe());
  if (!verdict.is_safe()) {
    answer->AddData("violation", verdict.order_violation
                                     ? OrderViolationJson(verdict)
                                     : ViolationJson(problem, verdict));
    answer->SayLine(Phrase("unsafe: ", verdict.message));
    return;
  }
  answer->SayLine(Phrase(
      "safe: ", Count(verdict.records, "tensor"), " in ",
      Size(verdict.total_size),
      verdict.cost ? Phrase(", at a cost of ", *verdict.cost) : Value()));
  answer->SayLine(Phrase(
      "checked: ", verdict.has_order ? "the order keeps every edge, " : "",
      CheckedRules(problem, verdict.kind)));
}

Outcome VerifyPlan(const CLI::App& verb, const VerifyArgs& args) {
  Progress progress(3);
  progress.Begin(absl::StrCat("reading ", args.trace_path));
  InputReader inputs(args.trace);
  DynamicInput dynamic;
  DynamicInput dynamic_plan;
  inputs.KeepDynamic(&dynamic);
  absl::StatusOr<ProblemFile> problem = inputs.ReadProblem(args.trace_path);
  progress.Begin(absl::StrCat("reading ", args.plan_path));
  inputs.KeepDynamic(dynamic.is_read() ? &dynamic_plan : nullptr);
  absl::StatusOr<ProblemFile> plan = inputs.ReadPlan(args.plan_path);
  for (const auto* input : {&problem, &plan}) {
    if (input->ok()) continue;
    return NotRead(input->status(), dynamic);
  }
  absl::Status usable = inputs.CheckOptions();
  if (usable.ok() && dynamic.is_read()) {
    usable = CheckFitsAllValues(verb, {"--format"});
    if (usable.ok()) {
      return VerifyAllValues(args.trace_path, *dynamic.problem,
                             {args.plan_path, &dynamic_plan,
                              dynamic_plan.is_read() ? nullptr : &*plan},
                             args.format);
    }
  }
  if (usable.ok() && args.alignment) usable = CheckHasOffsets(args, *plan);
  if (usable.ok()) {
    usable = ApplyPools(args.pools, args.trace_path, &problem->problem);
  }
  if (!usable.ok()) return Misuse("verify", usable.message());
  progress.Begin(absl::StrCat("verifying ", args.plan_path));
  const bool has_order = problem->problem.free_order.has_value();
  auto reversed =
      ApplyOrder(args.trace_path, &*problem, args.plan_path, &*plan);
  if (!reversed.ok()) return BadInput(reversed.status());
  NamedFile asked = {args.trace_path, *std::move(problem)};
  NamedFile planned = {args.plan_path, *std::move(plan)};
  if (absl::Status s = ExpandAsPlanned(planned, &asked); !s.ok()) {
    return BadInput(s);
  }
  AddRecords(asked.file.problem, &planned.file.problem);
  absl::StatusOr<PlanVerdict> verdict =
      *reversed ? PlanVerdict() : CheckPlanFile(asked, planned, args.alignment);
  if (!verdict.ok()) return BadInput(verdict.status());
  verdict->has_order = has_order;
  if (*reversed) verdict->message = Describe(**reversed);
  verdict->order_violation = *std::move(reversed);
  Outcome outcome;
  if (!verdict->is_safe()) outcome.code = ExitCode::kRefuted;
  Answer answer;
  answer.AddData("trace", args.trace_path);
  answer.AddData("plan", args.plan_path);
  AddVerdict(asked.file.problem, *verdict, &answer);
  outcome.out = answer.Render(args.format);
  return outcome;
}

// Returns an answer with a line for each fact of the verdict.
Answer AnswerOf(const VerifyArgs& args, const CertificateVerdict& verdict) {
  Answer answer;
  answer.AddData("trace", args.trace_path);
  answer.AddData("certificate", args.certificate_path);
  const auto add = [&](const char* key, const char* label,
                       const std::vector<std::string>& facts) {
    answer.AddData(key, facts);
    for (const std::string& fact : facts) answer.SayLine(Phrase(label, fact));
  };
  add("checked", "checked: ", verdict.checked);
  add("proved", "proved: ", verdict.proved);
  add("not_checked", "not checked: ", verdict.not_checked);
  const std::string& refuted = verdict.refuted;
  answer.AddData("refuted", refuted.empty() ? Json() : Json(refuted));
  if (!refuted.empty()) answer.SayLine(Phrase("refuted: ", refuted));
  return answer;
}

// Returns why a plan of a certificate is not one for the capacity of the
// problem, or an empty string if it is, or if there is no plan. A claim that
// there is no plan names its own capacity in what is printed.
std::string OtherCapacity(const ProblemSpec& problem,
                          const CertificateVerdict& claim) {
  const absl::optional<size_t>& capacity = problem.capacity;
  if (!claim.refuted.empty() || !capacity ||
      claim.status == SolutionStatus::kInfeasible) {
    return "";
  }
  if (claim.total_size > *capacity) {
    return absl::StrCat("proves a plan of ", claim.total_size,
                        " bytes; expected at most the capacity of ", *capacity);
  }
  // The least cost depends on the capacity.
  const bool has_costs = !problem.constraints.prefer_apart.empty() ||
                         !problem.constraints.pools.empty();
  if (!has_costs || claim.capacity == *capacity) return "";
  return absl::StrCat(
      "its capacity is ",
      claim.capacity ? absl::StrCat(*claim.capacity, " bytes") : "none",
      "; expected that of the problem, ", *capacity, " bytes");
}

// Checks a certificate against a trace, or against a problem with parameters.
// The exit code is 1 if a claim of the certificate is refuted.
Outcome VerifyCertificate(const CLI::App& verb, const VerifyArgs& args) {
  InputReader inputs(args.trace);
  DynamicInput dynamic;
  inputs.KeepDynamic(&dynamic);
  absl::StatusOr<ProblemFile> asked = inputs.Read(args.trace_path);
  absl::Status usable = inputs.CheckOptions();
  if (usable.ok() && dynamic.is_read()) {
    usable =
        CheckFitsAllValues(verb, {"--certificate", "--alignment", "--format"});
  } else if (usable.ok() && asked.ok()) {
    usable = ApplyPools(args.pools, args.trace_path, &asked->problem);
  }
  if (!usable.ok()) return Misuse("verify", usable.message());
  if (!asked.ok()) return NotRead(asked.status(), dynamic);
  if (dynamic.is_read()) {
    absl::StatusOr<DynamicProblem> aligned =
        ProblemAsAsked(args.trace_path, dynamic, args.alignment);
    if (!aligned.ok()) return Failure(aligned.status());
    dynamic.problem = *std::move(aligned);
  }
  if (asked->problem.free_order) {
    return Misuse("verify", kNoCertificates);
  }
  // Reads the file piece by piece rather than mapping it, for two reasons: the
  // log of a search may have any length, and a mapped file would crash the
  // program if another process truncated it.
  const absl::StatusOr<std::unique_ptr<InputFile>> file =
      InputFile::Open(args.certificate_path);
  if (!file.ok()) return BadInput(file.status());
  absl::Status read;
  const ReadText read_text = [&](absl::Span<char> buffer) {
    absl::StatusOr<size_t> count = (*file)->Read(buffer);
    read.Update(count.status());
    return count;
  };
  const absl::StatusOr<CertificateVerdict> verdict =
      dynamic.is_read()
          ? CheckDynamicCertificate(*dynamic.problem, read_text)
          : CheckCertificate(
                SpecFor(asked->problem, PlanKind::kOffsets, args.alignment),
                read_text);
  // The message already names the file.
  if (!read.ok()) return BadInput(read);
  if (!verdict.ok()) {
    return Failure(
        ExitCode::kBadInput,
        DescribeError(args.certificate_path, asked->problem, verdict.status()));
  }
  const std::string other = OtherCapacity(asked->problem, *verdict);
  if (!other.empty()) {
    return Failure(ExitCode::kBadInput,
                   absl::StrCat(OneLine(args.certificate_path), ": ", other));
  }
  return {verdict->refuted.empty() ? ExitCode::kDone : ExitCode::kRefuted,
          AnswerOf(args, *verdict).Render(args.format), ""};
}

// Checks a plan by following the values in memory. Requires a model and a plan.
// The only permitted options that affect the records are --subgraph and
// --io-lifetime.
Outcome RunByValue(const CLI::App& verb, const VerifyArgs& args) {
  if (!args.has_plan) {
    return Misuse("verify",
                  "--sharing any: without a plan; expected MODEL PLAN");
  }
  absl::Status status = CheckNotGiven(
      verb,
      {"--certificate", "--alignment", "--pool", "--lifetimes", "--offline",
       "--tensor-alignment", "--include-io"},
      "with --sharing any, which follows the values of a model in memory; "
      "expected --subgraph and --io-lifetime alone");
  if (status.ok()) {
    status = CheckStandardInput({args.trace_path, args.plan_path});
  }
  if (!status.ok()) return Misuse("verify", status.message());
  return VerifyByValue(
      {args.trace_path, args.plan_path, args.format, args.trace});
}

Outcome RunVerify(const CLI::App& verb, const VerifyArgs& args) {
  if (args.by_value) return RunByValue(verb, args);
  const bool has_certificate = !args.certificate_path.empty();
  if (args.has_plan && has_certificate) {
    return Misuse("verify", "both a plan and --certificate; expected one");
  }
  if (absl::Status s = CheckPools(args.pools); !s.ok()) {
    return Misuse("verify", s.message());
  }
  if (!args.has_plan && !has_certificate) {
    return VerifyCarried(
        {args.trace_path, args.alignment, args.pools, args.format, args.trace});
  }
  const std::string& other =
      args.has_plan ? args.plan_path : args.certificate_path;
  if (absl::Status s = CheckStandardInput({args.trace_path, other}); !s.ok()) {
    return Misuse("verify", s.message());
  }
  if (args.has_plan) return VerifyPlan(verb, args);
  return VerifyCertificate(verb, args);
}

}  // namespace

void AddVerify(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "verify",
      "Check whether a plan is safe, and print the witness if it is not");
  auto args = std::make_shared<VerifyArgs>();
  AddInput(verb, "TRACE", &args->trace_path, kAnyInput);
  CLI::Option* const plan =
      verb->add_option(
              "PLAN", args->plan_path,
              "The plan file: the rows of the trace, in any order, with a "
              "column offset or object, or only id and that column; - for "
              "standard input. Without PLAN, the plan that TRACE itself has is "
              "checked, such as that of a recording")
          ->type_name("");
  AddText(verb, "--certificate", "FILE",
          "Check this certificate, which stowage plan wrote, instead of a "
          "plan; - for standard input",
          &args->certificate_path);
  AddAlignment(verb, &args->alignment);
  AddPools(verb, &args->pools);
  AddTraceOptions(verb, &args->trace);
  AddWord(verb, "--sharing", {"any"},
          "Models: check a plan of all tensors in which any may share memory "
          "(any), such as the dump of an interpreter: every read must find "
          "what was written",
          [args](size_t) { args->by_value = true; });
  AddFormat(verb, &args->format);
  verb->footer(
      "Example:\n"
      "  stowage plan data/traces/mobilenet_v1.csv --strategy greedy_by_size "
      "-o - |\n"
      "    stowage verify data/traces/mobilenet_v1.csv -");
  verb->callback([action, args, plan, verb] {
    args->has_plan = plan->count() > 0;
    *action = [args, verb] { return RunVerify(*verb, *args); };
  });
}

}  // namespace stowage::cli
