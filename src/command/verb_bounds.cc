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
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/trace.h"

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

Bounds BoundsOf(const Trace& trace, const Problem& problem) {
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

std::string LiveTable(const Trace& trace, const std::vector<size_t>& live) {
  Table table;
  table.AddColumn("id", Table::Align::kLeft);
  table.AddColumn("bytes", Table::Align::kRight);
  table.AddColumn("first task", Table::Align::kRight);
  table.AddColumn("last task", Table::Align::kRight);
  for (const size_t i : live) {
    table.AddRow({trace.ids[i], absl::StrCat(trace.records[i].tensor_size),
                  absl::StrCat(trace.records[i].first_task),
                  absl::StrCat(trace.records[i].last_task)});
  }
  return table.ToText(ScreenLimits());
}

std::string TextOf(const std::string& input, const Trace& trace,
                   const Bounds& bounds) {
  std::string text = absl::StrCat(
      Field("input", OneLine(input)),
      trace.lifetimes.empty() ? "" : Field("lifetimes", trace.lifetimes),
      Field("records", absl::StrCat(trace.records.size())),
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
  if (trace.records.empty()) return text;
  absl::StrAppend(
      &text,
      Field("peak task",
            absl::StrCat(bounds.peak.task, ", with ",
                         Count(bounds.live.size(), "tensor"), " live:")),
      "\n", LiveTable(trace, bounds.live));
  return text;
}

std::string JsonOf(const std::string& input, const Trace& trace,
                   const Bounds& bounds) {
  Json live = Json::array();
  for (const size_t i : bounds.live) {
    live.push_back({{"id", trace.ids[i]},
                    {"size", trace.records[i].tensor_size},
                    {"first_task", trace.records[i].first_task},
                    {"last_task", trace.records[i].last_task}});
  }
  Json document = {
      {"input", input},
      {"records", trace.records.size()},
      {"lower_bound",
       {{"offsets", bounds.offsets.bytes},
        {"objects", bounds.objects ? Json(*bounds.objects) : Json()}}},
      {"naive_size", bounds.naive},
      {"width", bounds.widest},
      {"peak_task", nullptr},
      {"peak_tensors", live}};
  if (!trace.records.empty()) document["peak_task"] = bounds.peak.task;
  if (!trace.lifetimes.empty()) document["lifetimes"] = trace.lifetimes;
  return Dump(document);
}

Outcome RunBounds(const BoundsArgs& args) {
  Progress progress(2);
  progress.Begin(absl::StrCat("reading ", args.input));
  InputReader inputs(args.trace);
  const absl::StatusOr<Trace> trace = inputs.Read(args.input);
  if (absl::Status s = inputs.CheckOptions(); !s.ok()) {
    return Misuse("bounds", s.message());
  }
  if (!trace.ok()) {
    return Failure(ExitCode::kBadInput, trace.status().message());
  }
  progress.Begin(absl::StrCat("bounding ", args.input));
  const absl::StatusOr<Problem> problem =
      Problem::Create(ProblemSpecOf(*trace, PlanKind::kOffsets, absl::nullopt));
  if (!problem.ok()) {
    return Failure(ExitCode::kBadInput,
                   DescribeError(args.input, *trace, problem.status()));
  }
  const Bounds bounds = BoundsOf(*trace, *problem);
  const bool json = args.format == Format::kJson;
  return {ExitCode::kDone,
          json ? JsonOf(args.input, *trace, bounds)
               : FitScreen(TextOf(args.input, *trace, bounds)),
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
