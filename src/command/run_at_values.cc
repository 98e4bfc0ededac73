// SPDX-License-Identifier: Apache-2.0
// Implements `stowage run` at several values of shape parameters.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/notes.h"
#include "src/command/options.h"
#include "src/command/progress.h"
#include "src/command/run_options.h"
#include "src/command/run_report.h"
#include "src/command/shape_options.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/error_payload.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/dynamic_model.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/run_model.h"
#include "stowage/harness/shape_parameters.h"
#include "stowage/harness/shape_run.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {
namespace {

// A model with everything that its runs need.
struct ShapedModel {
  std::unique_ptr<const Model> model;
  harness::RunOptions options;
  std::vector<std::string> values;  // the model runs at these values
  std::vector<harness::GivenTensors> shapes;
};

// Reads the model, its inputs, and its shapes at all values.
absl::StatusOr<ShapedModel> ReadShaped(const RunArgs& args,
                                       const DynamicProblem& values) {
  ShapedModel shaped;
  shaped.options = args.options;
  absl::StatusOr<std::unique_ptr<const Model>> model = Model::Read(args.model);
  if (!model.ok()) return model.status();
  shaped.model = *std::move(model);
  for (const std::string& text : args.at) {
    const absl::StatusOr<ParameterValues> at = values.ParseValues(text);
    if (!at.ok()) return AtPlace(absl::StrCat("--at ", text), at.status());
    shaped.values.push_back(values.Describe(*at));
    absl::StatusOr<harness::GivenTensors> given =
        harness::ResolveShapes(*shaped.model, shaped.options.subgraph,
                               harness::ShapesAt(args.shapes.open, *at));
    if (!given.ok()) return given.status();
    shaped.shapes.push_back(*std::move(given));
  }
  // Checks the input files against the shapes of the first run.
  KnownShapes first;
  for (const auto& [tensor, shape] : shaped.shapes.front()) {
    first[{shaped.options.subgraph, tensor}] = {shape};
  }
  absl::StatusOr<harness::InputFiles> files = harness::ReadInputFiles(
      *shaped.model->WithShapes(first), shaped.options.subgraph,
      shaped.options.invocations, args.input_paths);
  if (!files.ok()) return files.status();
  shaped.options.inputs = *std::move(files);
  return shaped;
}

// Adds a note about the extents that remain open at the first value of the
// parameters.
absl::Status NoteOthers(const RunArgs& args, const ShapedModel& shaped,
                        const DynamicProblem& values) {
  ModelTraceOptions options;
  options.subgraph = args.options.subgraph;
  harness::TraceShadows shapes;
  shapes.shapes =
      harness::ShapesAt(args.shapes.open, *values.ParseValues(args.at[0]));
  const absl::StatusOr<ModelTrace> trace = harness::CpuTraceOf(
      *shaped.model, harness::BuiltinOperators(), options, {}, shapes);
  // If no trace can be made, the run fails for the same reason and reports the
  // error.
  if (!trace.ok()) return absl::OkStatus();
  return NoteOpenShapes(args.model, trace->open, args.shapes.is_strict);
}

// Adds a table with a row for each run, and a line for each output.
void AddRuns(const ShapedModel& shaped,
             const std::vector<harness::RunResult>& results, Answer* answer) {
  std::vector<std::vector<Value>> rows;
  for (size_t i = 0; i < results.size(); ++i) {
    const harness::RunResult& result = results[i];
    Json micros = Json::array();
    for (const absl::Duration time : result.times) {
      micros.push_back(Micros(time));
    }
    rows.push_back({shaped.values[i], result.arena_bytes, result.lower_bound,
                    Data(result.naive_size), Data(result.persistent_bytes),
                    Data(std::move(micros)), Data(OutputsJson(result))});
  }
  answer->AddTable(
      TableOf({"at=at", "arena>arena_size", "lower bound>lower_bound",
               "=naive_size", "=persistent_size", "=run_micros", "=outputs"},
              std::move(rows)),
      "runs");
  for (size_t i = 0; i < results.size(); ++i) {
    for (const harness::RunOutput& output : results[i].outputs) {
      answer->SayLine(Phrase(shaped.values[i], ": ", output.name, ": ",
                             output.dtype, " ", ShapeText(output.shape),
                             ", sha256 ", output.sha256));
    }
  }
}

// Checks the runs. Sets *where to the values of the run at which the check
// stopped.
absl::StatusOr<harness::CheckReport> CheckRuns(const RunArgs& args,
                                               const ShapedModel& shaped,
                                               std::string* where) {
  size_t at = 0;
  harness::CheckOptions check =
      harness::CheckOptionsAt(shaped.options, shaped.shapes, &at);
  check.compares_all = args.check == "all";
  absl::StatusOr<harness::CheckReport> report =
      harness::CheckPlan(*shaped.model, harness::BuiltinOperators(), check);
  *where = shaped.values[at];
  if (report.ok()) return report;
  return AtPlace(absl::StrCat("at ", *where), report.status());
}

// Adds the facts that apply to all values.
void AddPlan(const RunArgs& args, const DynamicProblem& problem,
             const DynamicPlan& plan, const std::string& note, Answer* answer) {
  answer->Add("lifetimes", "lifetimes",
              LifetimeRulesName(args.options.plan.lifetimes));
  answer->Add("reserve", "reserve", Size(plan.reserve));
  answer->Add("reserve_bound", "lower bound", plan.reserve_bound,
              Phrase(Size(plan.reserve_bound), ", at ",
                     problem.Describe(plan.bound_at)));
  answer->Add("note", "note", note);
  answer->Add("invocations", "invocations", args.options.invocations);
}

Outcome RunShaped(const RunArgs& args, ShapedModel shaped) {
  const absl::StatusOr<harness::DynamicModel> found =
      harness::DynamicProblemOfRun(*shaped.model, shaped.options,
                                   args.shapes.open);
  if (!found.ok()) return FailedRun(found.status());
  const absl::StatusOr<DynamicProblem> problem =
      DynamicProblem::Create(found->spec);
  if (!problem.ok()) return FailedRun(problem.status());
  DynamicOptions search;
  if (args.search.time_limit) {
    search.time_limit_ns = absl::ToInt64Nanoseconds(*args.search.time_limit);
  }
  const absl::StatusOr<DynamicPlan> plan = PlanForAllValues(*problem, search);
  if (!plan.ok()) return FailedRun(plan.status());
  harness::UseOrder(*problem, *plan, &shaped.options);
  Answer answer;
  answer.Add("input", "input", args.model, InputName(args.model));
  AddPlan(args, *problem, *plan, found->note, &answer);
  if (!args.check.empty()) {
    std::string where;
    const absl::StatusOr<harness::CheckReport> check =
        CheckRuns(args, shaped, &where);
    if (!check.ok()) return FailedRun(check.status());
    answer.Add("check", "check", CheckJson(args, *check),
               CheckText(args, *check));
    if (!check->is_safe()) {
      answer.SayLine(Lines(check->Text()));
      RunReport report;
      report.args = &args;
      report.check = *check;
      return {ExitCode::kRefuted, answer.Render(args.format),
              absl::StrCat("at ", where, ": ", UnsafeMessage(report))};
    }
  }
  const absl::StatusOr<std::vector<harness::RunResult>> results =
      harness::RunModelAt(*shaped.model, shaped.options, shaped.shapes);
  if (!results.ok()) return FailedRun(results.status());
  AddRuns(shaped, *results, &answer);
  return {ExitCode::kDone, answer.Render(args.format), ""};
}

}  // namespace

Outcome RunAtValues(const RunArgs& args) {
  const absl::StatusOr<DynamicProblem> values =
      harness::ValuesOf(args.shapes.open);
  if (!values.ok()) return Misuse("run", values.status().message());
  if (args.options.plan.sharing == Sharing::kGroups) {
    return Misuse("run", "--sharing groups: with --at; expected fixed or none");
  }
  if (!args.options.dump.empty() && args.at.size() > 1) {
    return Misuse("run", "--dump: with several --at; expected one of them");
  }
  Progress progress(1);
  progress.Begin(absl::StrCat("running ", args.model));
  absl::StatusOr<ShapedModel> shaped = ReadShaped(args, *values);
  if (absl::IsAlreadyExists(shaped.status())) {
    return Misuse("run", absl::StrCat("--input: ", shaped.status().message()));
  }
  if (!shaped.ok()) return BadInput(shaped.status());
  const absl::Status open = NoteOthers(args, *shaped, *values);
  if (!open.ok()) return BadInput(open);
  return RunShaped(args, *std::move(shaped));
}

}  // namespace stowage::cli
