// SPDX-License-Identifier: Apache-2.0
// The verb `stowage bounds`: shows how small a plan can be, and where the bytes
// are.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/layout.h"
#include "src/command/options.h"
#include "src/command/progress.h"
#include "src/command/screen.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/io/problem_file.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/profile.h"

namespace stowage::cli {
namespace {

struct BoundsArgs {
  std::string input;
  Format format = Format::kText;
  InputOptions trace;
};

struct Bounds {
  LowerBound offsets;
  TaskBreadth peak;
  std::vector<size_t> live;        // records at the peak, largest first
  absl::optional<size_t> objects;  // nullopt with constraints
  size_t naive = 0;
  size_t widest = 0;  // largest number of tensors live at one task
};

Bounds BoundsOf(const ProblemSpec& trace, const Problem& problem) {
  Bounds bounds;
  bounds.offsets = LowerBoundOf(problem);
  bounds.peak = MaximumBreadth(trace.records);
  bounds.live = TaskProfile(trace.records, bounds.peak.task);
  if (problem.constraints() == nullptr) {
    bounds.objects = ObjectsLowerBound(trace.records);
  }
  bounds.naive = NaiveSize(trace.records);
  bounds.widest = PositionalMaximums(trace.records).size();
  return bounds;
}

std::string LiveTable(const ProblemSpec& problem,
                      const std::vector<size_t>& live) {
  Table table;
  table.AddColumn("id", Table::Align::kLeft);
  table.AddColumn("bytes", Table::Align::kRight);
  table.AddColumn("first task", Table::Align::kRight);
  table.AddColumn("last task", Table::Align::kRight);
  for (const size_t i : live) {
    table.AddRow({problem.names[i],
                  absl::StrCat(problem.records[i].tensor_size),
                  absl::StrCat(problem.records[i].first_task),
                  absl::StrCat(problem.records[i].last_task)});
  }
  return table.ToText(ScreenLimits());
}

std::string TextOf(const std::string& input, const ProblemSpec& problem,
                   const Bounds& bounds) {
  std::string text = absl::StrCat(
      Field("input", OneLine(input)),
      problem.labels.lifetimes.empty()
          ? ""
          : Field("lifetimes", problem.labels.lifetimes),
      Field("records", absl::StrCat(problem.records.size())),
      Field("lower bound",
            absl::StrCat(
                "offsets ", FormatBytes(bounds.offsets.bytes),
                TaskOf(bounds.offsets.proof)
                    ? ""
                    : absl::StrCat(": ", Describe(bounds.offsets.proof)))),
      bounds.objects
          ? Field("", absl::StrCat("objects ", FormatBytes(*bounds.objects)))
          : "",
      Field("naive size", FormatBytes(bounds.naive)),
      Field("width", absl::StrCat("at most ", Count(bounds.widest, "tensor"),
                                  " live at once")));
  if (problem.records.empty()) return text;
  absl::StrAppend(
      &text,
      Field("peak task",
            absl::StrCat(bounds.peak.task, ", with ",
                         Count(bounds.live.size(), "tensor"), " live:")),
      "\n", LiveTable(problem, bounds.live));
  return text;
}

std::string JsonOf(const std::string& input, const ProblemSpec& problem,
                   const Bounds& bounds) {
  Json live = Json::array();
  for (const size_t i : bounds.live) {
    live.push_back({{"id", problem.names[i]},
                    {"size", problem.records[i].tensor_size},
                    {"first_task", problem.records[i].first_task},
                    {"last_task", problem.records[i].last_task}});
  }
  Json document = {
      {"input", input},
      {"records", problem.records.size()},
      {"lower_bound",
       {{"offsets", bounds.offsets.bytes},
        {"objects", bounds.objects ? Json(*bounds.objects) : Json()}}},
      {"naive_size", bounds.naive},
      {"width", bounds.widest},
      {"peak_task", nullptr},
      {"peak_tensors", live}};
  if (!problem.records.empty()) document["peak_task"] = bounds.peak.task;
  if (!problem.labels.lifetimes.empty()) {
    document["lifetimes"] = problem.labels.lifetimes;
  }
  return Dump(document);
}

Outcome RunBounds(const BoundsArgs& args) {
  Progress progress(2);
  progress.Begin(absl::StrCat("reading ", args.input));
  InputReader inputs(args.trace);
  const absl::StatusOr<ProblemFile> file = inputs.Read(args.input);
  if (absl::Status s = inputs.CheckOptions(); !s.ok()) {
    return Misuse("bounds", s.message());
  }
  if (!file.ok()) {
    return Failure(ExitCode::kBadInput, file.status().message());
  }
  progress.Begin(absl::StrCat("bounding ", args.input));
  const absl::StatusOr<Problem> problem = Problem::Create(file->problem);
  if (!problem.ok()) {
    return Failure(ExitCode::kBadInput,
                   DescribeError(args.input, file->problem, problem.status()));
  }
  const Bounds bounds = BoundsOf(file->problem, *problem);
  const bool json = args.format == Format::kJson;
  return {ExitCode::kDone,
          json ? JsonOf(args.input, file->problem, bounds)
               : FitScreen(TextOf(args.input, file->problem, bounds)),
          ""};
}

}  // namespace

void AddBounds(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "bounds", "Lower bounds, and the tensors live at the peak");
  auto args = std::make_shared<BoundsArgs>();
  verb->add_option("INPUT", args->input,
                   "A trace (CSV), a problem (JSON) or a .tflite model; - for "
                   "standard input")
      ->required()
      ->type_name("");
  AddTraceOptions(verb, &args->trace);
  AddFormat(verb, &args->format);
  verb->footer("Example:\n  stowage bounds data/traces/mobilenet_v1.csv");
  verb->callback(
      [action, args] { *action = [args] { return RunBounds(*args); }; });
}

}  // namespace stowage::cli
