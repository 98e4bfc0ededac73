// stowage verify: is the plan in this file safe for that trace?
#include "stowage/verify.h"

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
#include "src/cli/certificate.h"
#include "src/cli/inputs.h"
#include "src/cli/json.h"
#include "src/cli/options.h"
#include "src/cli/progress.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"
#include "src/trace/match_rows.h"
#include "stowage/assignment.h"
#include "stowage/planner.h"
#include "stowage/trace.h"

namespace stowage::cli {
namespace {

struct VerifyArgs {
  std::string trace_path;
  std::string plan_path;
  bool has_plan = false;
  std::string certificate_path;
  absl::optional<size_t> alignment;
  Format format = Format::kText;
  InputOptions trace;
};

// What was found out about a plan.
struct Verdict {
  PlanKind kind = PlanKind::kOffsets;
  size_t records = 0;
  size_t total_size = 0;
  absl::optional<Violation> violation;
};

absl::StatusOr<Verdict> JudgeOffsets(const VerifyArgs& args, const Trace& trace,
                                     const Trace& plan,
                                     const std::vector<size_t>& rows) {
  absl::StatusOr<OffsetsAssignment> assignment = OffsetsOf(plan);
  if (!assignment.ok()) {
    return absl::Status(
        assignment.status().code(),
        DescribeError(args.plan_path, plan, assignment.status()));
  }
  assignment->offsets = InTraceOrder(assignment->offsets, rows);
  Verdict verdict;
  verdict.total_size = assignment->total_size;
  verdict.violation = FindViolation(
      trace.records, *assignment,
      args.alignment ? Alignments(*args.alignment) : trace.alignment());
  return verdict;
}

absl::StatusOr<Verdict> JudgeObjects(const VerifyArgs& args, const Trace& trace,
                                     const Trace& plan,
                                     const std::vector<size_t>& rows) {
  absl::StatusOr<ObjectsAssignment<size_t>> assignment = ObjectsOf(plan);
  const absl::StatusOr<size_t> total =
      assignment.ok() ? TotalSize(*assignment) : assignment.status();
  if (!total.ok()) {
    return absl::Status(total.status().code(),
                        DescribeError(args.plan_path, plan, total.status()));
  }
  assignment->object_ids = InTraceOrder(assignment->object_ids, rows);
  Verdict verdict;
  verdict.kind = PlanKind::kObjects;
  verdict.total_size = *total;
  verdict.violation = FindViolation(trace.records, *assignment);
  if (verdict.violation) {
    // The number that the file has for it.
    const size_t row = rows[verdict.violation->first_tensor];
    verdict.violation->object = plan.objects[row];
  }
  return verdict;
}

absl::StatusOr<Verdict> Judge(const VerifyArgs& args, const Trace& trace,
                              const Trace& plan) {
  const absl::StatusOr<std::vector<size_t>> rows = MatchRows(
      trace, InputName(args.trace_path), plan, InputName(args.plan_path));
  if (!rows.ok()) return rows.status();
  // A file without rows has no columns either, and nothing that could be wrong.
  if (rows->empty()) return Verdict();
  if (plan.offsets.empty() && plan.objects.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(InputName(args.plan_path),
                     ": no plan: expected a column offset or a column object"));
  }
  absl::StatusOr<Verdict> verdict =
      plan.objects.empty() ? JudgeOffsets(args, trace, plan, *rows)
                           : JudgeObjects(args, trace, plan, *rows);
  if (verdict.ok()) verdict->records = rows->size();
  return verdict;
}

std::string TextOf(const Trace& trace, const Verdict& verdict) {
  if (verdict.violation) {
    return absl::StrCat(
        "unsafe: ", OneLine(Describe(*verdict.violation, trace.ids)), "\n");
  }
  const absl::string_view checked =
      verdict.kind == PlanKind::kOffsets
          ? "every tensor has an aligned place, and no two alive at one task "
            "share a byte"
          : "every tensor has an object, and no two alive at one task have the "
            "same";
  return absl::StrCat("safe: ", Count(verdict.records, "tensor"), " in ",
                      FormatBytes(verdict.total_size), "\nchecked: ", checked,
                      "\n");
}

Json JsonOf(const Trace& trace, const Violation& violation) {
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
    default:  // no file can say it; the message does
      break;
  }
  json["message"] = Describe(violation, trace.ids);
  return json;
}

std::string JsonOf(const VerifyArgs& args, const Trace& trace,
                   const Verdict& verdict) {
  Json document = {{"trace", args.trace_path},
                   {"plan", args.plan_path},
                   {"kind", std::string(PlanKindName(verdict.kind))},
                   {"records", verdict.records},
                   {"total_size", verdict.total_size},
                   {"safe", !verdict.violation}};
  if (verdict.violation) {
    document["violation"] = JsonOf(trace, *verdict.violation);
  }
  return Dump(document);
}

Outcome RunVerify(const VerifyArgs& args) {
  if (args.has_plan != args.certificate_path.empty()) {
    return Failure(ExitCode::kMisuse,
                   "stowage verify: expected a plan or --certificate, one of "
                   "them");
  }
  if (!args.certificate_path.empty()) {
    return VerifyCertificate(args.trace_path, args.certificate_path,
                             args.alignment, args.format, args.trace);
  }
  if (absl::Status s = CheckStandardInput({args.trace_path, args.plan_path});
      !s.ok()) {
    return Failure(ExitCode::kMisuse,
                   absl::StrCat("stowage verify: ", s.message()));
  }
  Progress progress(3);
  progress.Begin(absl::StrCat("reading ", args.trace_path));
  const absl::StatusOr<Trace> trace = ReadInput(args.trace_path, args.trace);
  progress.Begin(absl::StrCat("reading ", args.plan_path));
  const absl::StatusOr<Trace> plan = ReadInput(args.plan_path, args.trace);
  for (const auto* input : {&trace, &plan}) {
    if (input->ok()) continue;
    return Failure(ExitCode::kBadInput, input->status().message());
  }
  progress.Begin(absl::StrCat("verifying ", args.plan_path));
  const absl::StatusOr<Verdict> verdict = Judge(args, *trace, *plan);
  if (!verdict.ok()) {
    return Failure(ExitCode::kBadInput, verdict.status().message());
  }
  const bool json = args.format == Format::kJson;
  return {verdict->violation ? ExitCode::kRefuted : ExitCode::kDone,
          json ? JsonOf(args, *trace, *verdict) : TextOf(*trace, *verdict), ""};
}

}  // namespace

void AddVerify(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "verify", "Whether a plan is safe; if not, the witness");
  auto args = std::make_shared<VerifyArgs>();
  verb->add_option("TRACE", args->trace_path,
                   "The trace (CSV) or .tflite model; - for standard input")
      ->required()
      ->type_name("");
  CLI::Option* const plan =
      verb->add_option("PLAN", args->plan_path,
                       "The trace's rows, in any order, with a column offset "
                       "or object; - for standard input")
          ->type_name("");
  AddValue(verb, "--certificate", "FILE",
           "Check a certificate of stowage plan instead of a plan",
           [args](const std::string& path) {
             args->certificate_path = path;
             return absl::OkStatus();
           });
  AddAlignment(verb, &args->alignment);
  AddTraceOptions(verb, &args->trace);
  AddFormat(verb, &args->format);
  verb->footer(
      "Example:\n"
      "  stowage plan data/traces/mobilenet_v1.csv --strategy greedy_by_size "
      "-o - |\n"
      "    stowage verify data/traces/mobilenet_v1.csv -");
  verb->callback([action, args, plan] {
    args->has_plan = plan->count() > 0;
    *action = [args] { return RunVerify(*args); };
  });
}

}  // namespace stowage::cli
