// SPDX-License-Identifier: Apache-2.0
// The verb `stowage bounds`: shows how small a plan can be, and which records
// occupy the bytes at the peak.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/dynamic_inputs.h"
#include "src/command/dynamic_plan.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/options.h"
#include "src/command/program_plan.h"
#include "src/command/progress.h"
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
  // The task with the most live bytes. It is nullopt if there are no records,
  // or if the order of the tasks is partial.
  absl::optional<TaskId> peak_task;
  // The records that are live at that task, largest first.
  std::vector<size_t> live;
  absl::optional<size_t> objects;  // it is nullopt with constraints
  absl::optional<uint64_t> cost;   // it is nullopt if plans have no cost
  size_t naive = 0;
  // The maximum number of tensors that are live at one task. It is nullopt if
  // the order of the tasks is partial.
  absl::optional<size_t> widest;
};

Bounds BoundsOf(const ProblemSpec& spec, const Problem& problem) {
  Bounds bounds;
  bounds.offsets = LowerBoundOf(problem);
  if (problem.constraints() == nullptr) {
    bounds.objects = ObjectsLowerBound(spec.records);
  } else if (!spec.constraints.prefer_apart.empty() ||
             !spec.constraints.pools.empty()) {
    bounds.cost = CostLowerBound(problem);
  }
  bounds.naive = NaiveSize(spec.records);
  if (spec.constraints.order) return bounds;
  bounds.widest = PositionalMaximums(spec.records).size();
  if (spec.records.empty()) return bounds;
  bounds.peak_task = MaximumBreadth(spec.records).task;
  bounds.live = TaskProfile(spec.records, *bounds.peak_task);
  return bounds;
}

Answer AnswerOf(const std::string& input, const ProblemSpec& spec,
                const Bounds& bounds) {
  const absl::optional<size_t>& objects = bounds.objects;
  Answer answer;
  answer.Add("input", "input", input);
  if (!spec.labels.lifetimes.empty()) {
    answer.Say("lifetimes", spec.labels.lifetimes);
  }
  AddProgramOf(spec, &answer);
  answer.Add("records", "records", spec.records.size());
  answer.AddData("lower_bound",
                 {{"offsets", bounds.offsets.bytes},
                  {"objects", objects ? Json(*objects) : Json()}});
  answer.Say("lower bound",
             Phrase("offsets ", Size(bounds.offsets.bytes),
                    TaskOf(bounds.offsets.proof)
                        ? Value()
                        : Phrase(": ", Describe(bounds.offsets.proof))));
  if (objects) answer.Say("", Phrase("objects ", Size(*objects)));
  if (bounds.cost) answer.Add("cost_bound", "cost bound", *bounds.cost);
  answer.Add("naive_size", "naive size", Size(bounds.naive));
  if (bounds.widest) {
    answer.Add(
        "width", "width", *bounds.widest,
        Phrase("at most ", Count(*bounds.widest, "tensor"), " live at once"));
  } else {
    answer.AddData("width", nullptr);
  }
  if (bounds.peak_task) {
    answer.Add("peak_task", "peak task", *bounds.peak_task,
               Phrase(*bounds.peak_task, ", with ",
                      Count(bounds.live.size(), "tensor"), " live:"));
  } else {
    answer.AddData("peak_task", nullptr);
  }
  const auto row = [&](size_t k) -> std::vector<Value> {
    const auto& record = spec.records[bounds.live[k]];
    return {spec.names[bounds.live[k]], record.tensor_size, record.first_task,
            record.last_task};
  };
  answer.AddTable(
      {{"id=id", "bytes>size", "first task>first_task", "last task>last_task"},
       bounds.live.size(),
       row},
      "peak_tensors");
  if (!spec.labels.lifetimes.empty()) {
    answer.AddData("lifetimes", spec.labels.lifetimes);
  }
  return answer;
}

Outcome RunBounds(const BoundsArgs& args) {
  Progress progress(2);
  progress.Begin(absl::StrCat("reading ", args.input));
  InputReader inputs(args.trace);
  DynamicInput dynamic;
  inputs.KeepDynamic(&dynamic);
  const absl::StatusOr<ProblemFile> file = inputs.Read(args.input);
  if (absl::Status s = inputs.CheckOptions(); !s.ok()) {
    return Misuse("bounds", s.message());
  }
  if (!file.ok()) return NotRead(file.status(), dynamic);
  if (dynamic.is_read()) {
    return BoundAllValues(args.input, *dynamic.problem, args.format);
  }
  progress.Begin(absl::StrCat("bounding ", args.input));
  const absl::StatusOr<Problem> problem = Problem::Create(file->problem);
  if (!problem.ok()) {
    return Failure(ExitCode::kBadInput,
                   DescribeError(args.input, file->problem, problem.status()));
  }
  const Bounds bounds = BoundsOf(file->problem, *problem);
  return {ExitCode::kDone,
          AnswerOf(args.input, file->problem, bounds).Render(args.format), ""};
}

}  // namespace

void AddBounds(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "bounds", "Print lower bounds, and the tensors live at the peak");
  auto args = std::make_shared<BoundsArgs>();
  AddInput(verb, "INPUT", &args->input, kAnyInput);
  AddTraceOptions(verb, &args->trace);
  AddFormat(verb, &args->format);
  verb->footer("Example:\n  stowage bounds data/traces/mobilenet_v1.csv");
  verb->callback(
      [action, args] { *action = [args] { return RunBounds(*args); }; });
}

}  // namespace stowage::cli
