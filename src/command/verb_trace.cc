// SPDX-License-Identifier: Apache-2.0
// The verb `stowage trace`: writes the usage records of a model.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/base/text.h"
#include "src/command/delegate_options.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "src/command/screen.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/constraints.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/io/problem_file.h"
#include "stowage/io/write_file.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"

namespace stowage::cli {
namespace {

struct TraceArgs {
  std::string model;
  std::string output;  // empty: standard output, except for JSON
  Format format = Format::kText;
  InputOptions trace;
  DelegateArgs delegates;
  bool names = false;
};

// Returns the records of the graph that remains after delegation.
absl::StatusOr<ModelTrace> ReadDelegated(
    const TraceArgs& args, std::vector<harness::DelegateRequest> requests) {
  const auto model = Model::Read(args.model);
  if (!model.ok()) return model.status();
  const absl::Status claimed =
      ClaimNodes(args.delegates, **model, args.trace.model.subgraph,
                 absl::MakeSpan(requests));
  if (!claimed.ok()) return claimed;
  return harness::CpuTraceOf(**model, harness::BuiltinOperators(),
                             args.trace.model, requests, args.trace.shadows);
}

// Returns the text about sharing in place, which is empty under the fixed rule.
std::string SharingText(const TraceArgs& args, const ProblemSpec& problem) {
  const std::string name = OneLine(InputName(args.model));
  switch (args.trace.model.sharing) {
    case Sharing::kFixed:
      return "";
    case Sharing::kGroups:
      return absl::StrCat(name, ": ", Count(CountGroups(problem), "group"),
                          " of records that may share memory\n");
    case Sharing::kNone:
      break;
  }
  return absl::StrCat(name, ": no sharing of memory in place\n");
}

std::string Report(const TraceArgs& args, const ModelTrace& model) {
  const std::string name = OneLine(InputName(args.model));
  // The rules `micro` plan all subgraphs at once.
  const std::string graphs =
      args.trace.lifetimes == LifetimeRules::kMicro
          ? Count(model.subgraph_count, "subgraph")
          : absl::StrCat("subgraph ", args.trace.model.subgraph, " of ",
                         model.subgraph_count);
  std::string report = absl::StrCat(
      name, ": ", graphs, ": ",
      Count(model.operator_count,
            args.delegates.delegates.empty() ? "operator" : "task"),
      ", ", Count(model.problem.records.size(), "record"), ", lifetimes ",
      model.problem.labels.lifetimes, "\n");
  absl::StrAppend(&report, SharingText(args, model.problem));
  if (model.problem.constraints.order) {
    const TaskOrder& order = *model.problem.constraints.order;
    absl::StrAppend(&report, name, ": ", Count(order.chains(), "stream"), ", ",
                    Count(order.edges().size(), "wait"), "\n");
  }
  if (model.folded_tensors > 0) {
    absl::StrAppend(&report, name, ": left out ",
                    Count(model.folded_tensors, "tensor"),
                    " computed from constants alone, which can be done once: ",
                    FormatBytes(model.folded_bytes), "\n");
  }
  if (model.shadowed_operators > 0) {
    absl::StrAppend(&report, name, ": ",
                    Count(model.shadowed_operators, "operator"),
                    " without a kernel, with shapes as declared\n");
  }
  if (model.computed_operators > 0) {
    absl::StrAppend(&report, name, ": ", DescribeComputed(model), "\n");
  }
  return report;
}

void AddOrder(const TaskOrder& order, Json* document) {
  Json streams = Json::array();
  for (size_t s = 0; s < order.chains(); ++s) {
    streams.push_back(
        std::vector<TaskId>(order.chain(s).begin(), order.chain(s).end()));
  }
  Json waits = Json::array();
  for (const TaskEdge& wait : order.edges()) {
    waits.push_back({wait.before, wait.after});
  }
  (*document)["streams"] = std::move(streams);
  (*document)["waits"] = std::move(waits);
}

// Adds what is known about the tensor to the row, with the keys of problem
// files.
void AddInfo(const TensorInfo& info, Json* row) {
  (*row)["name"] = FileText(info.name);
  (*row)["type"] = FileText(info.type);
  (*row)["shape"] = FileText(info.shape);
  (*row)["producer"] = info.producer ? Json(*info.producer) : Json();
  (*row)["consumers"] = info.consumers;
}

// Adds the group of the record, and its place in the group, to the row, with
// the keys of problem files.
void AddPlace(const RecordPlace& place, Json* row) {
  if (place.group == kNoGroup) return;
  (*row)["group"] = absl::StrCat(place.group);
  (*row)["at"] = place.at;
}

std::string JsonOf(const TraceArgs& args, const ModelTrace& model,
                   const std::vector<std::string>& warnings) {
  const ProblemSpec& problem = model.problem;
  Json rows = Json::array();
  for (size_t i = 0; i < problem.records.size(); ++i) {
    rows.push_back({{"id", problem.names[i]},
                    {"lower", problem.records[i].first_task},
                    {"upper", problem.records[i].last_task + 1},
                    {"size", problem.records[i].tensor_size}});
    if (!problem.constraints.places.empty()) {
      AddPlace(problem.constraints.places[i], &rows.back());
    }
    if (args.names) AddInfo(problem.labels.tensors[i], &rows.back());
    if (!problem.constraints.order) continue;
    const absl::Span<const TaskId> users = problem.constraints.users[i];
    rows.back()["users"] = std::vector<TaskId>(users.begin(), users.end());
  }
  Json document = {
      {"input", args.model},
      {"subgraph", args.trace.model.subgraph},
      {"subgraphs", model.subgraph_count},
      {"lifetimes", problem.labels.lifetimes},
      {"operators", model.operator_count},
      {"computed_operators", model.computed_operators},
      {"records", problem.records.size()},
      {"folded",
       {{"tensors", model.folded_tensors}, {"bytes", model.folded_bytes}}},
      {"trace", rows}};
  if (args.trace.model.sharing != Sharing::kFixed) {
    document["sharing"] = std::string(SharingName(args.trace.model.sharing));
  }
  if (!warnings.empty()) document["warnings"] = warnings;
  if (args.trace.shadows.mode != harness::ShadowMode::kNone) {
    document["shadowed_operators"] = model.shadowed_operators;
  }
  if (problem.constraints.order) {
    AddOrder(*problem.constraints.order, &document);
  }
  if (args.names) {
    Json& names = document["operator_names"] = Json::array();
    for (const std::string& name : problem.labels.operators) {
      names.push_back(FileText(name));
    }
  }
  return Dump(document);
}

absl::Status CheckArgs(const TraceArgs& args) {
  if (!args.delegates.delegates.empty() &&
      args.trace.lifetimes != LifetimeRules::kCpu) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--delegate: with --lifetimes ",
        LifetimeRulesName(args.trace.lifetimes),
        ", whose rules have no delegates; expected --lifetimes cpu, the "
        "default with delegates"));
  }
  if (absl::Status s = CheckSharing(args.trace); !s.ok()) return s;
  if (absl::Status s = CheckShadows(args.trace); !s.ok()) return s;
  if (absl::Status s =
          CheckEffects(args.trace.limits, {{args.model, InputKind::kModel}});
      !s.ok()) {
    return s;
  }
  if (args.trace.model.streams > 0 &&
      args.trace.lifetimes == LifetimeRules::kMicro) {
    return absl::InvalidArgumentError(
        "--streams: with --lifetimes micro, whose rules have one task at a "
        "time; expected --lifetimes plain or cpu");
  }
  if (absl::Status s = CheckOneDocument(args.output, args.format); !s.ok()) {
    return s;
  }
  return CheckOutputFiles({{"-o", args.output.empty() ? "-" : args.output}},
                          {args.model});
}

bool IsProblem(const TraceArgs& args) {
  return args.trace.model.streams > 0 ||
         args.trace.model.sharing == Sharing::kGroups;
}

Outcome RunTrace(const TraceArgs& args) {
  if (absl::Status s = CheckArgs(args); !s.ok()) {
    return Misuse("trace", s.message());
  }
  absl::StatusOr<std::vector<harness::DelegateRequest>> requests =
      RequestDelegates(args.delegates);
  if (!requests.ok()) return FailedRequest("trace", requests.status());
  std::vector<std::string> warnings;
  absl::StatusOr<ModelTrace> model =
      requests->empty() ? ReadModel(args.model, args.trace, &warnings)
                        : ReadDelegated(args, *std::move(requests));
  if (!model.ok()) {
    return Failure(ExitCode::kBadInput, model.status().message());
  }
  if (!args.names) DropNames(&model->problem);
  // Partial orders need a problem file, since CSV cannot express users. Groups
  // get a problem file, too, so that orders and groups are read in the same
  // way.
  absl::StatusOr<std::string> file = IsProblem(args)
                                         ? FormatProblemJson({model->problem})
                                         : FormatProblemCsv({model->problem});
  if (!file.ok()) {
    return Failure(ExitCode::kBadInput,
                   DescribeError(args.model, model->problem, file.status()));
  }
  const bool to_file = !args.output.empty() && args.output != "-";
  if (to_file) {
    if (absl::Status s = WriteFile(args.output, *file); !s.ok()) {
      return Failure(ExitCode::kBadInput, s.message());
    }
  }
  std::string report = Report(args, *model);
  for (const std::string& warning : warnings) {
    absl::StrAppend(&report, "warning: ", OneLine(warning), "\n");
  }
  report = FitScreen(report);
  if (args.format == Format::kJson) {
    return {ExitCode::kDone, JsonOf(args, *model, warnings), report};
  }
  return {ExitCode::kDone, to_file ? "" : *std::move(file), report};
}

}  // namespace

void AddTrace(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand("trace", "The usage records of a model");
  auto args = std::make_shared<TraceArgs>();
  verb->add_option("MODEL", args->model,
                   "A .tflite model; - for standard input")
      ->required()
      ->type_name("");
  AddOutput(verb, "TRACE.csv",
            "Write the trace here; - for standard output (the default)",
            &args->output);
  AddModelOptions(verb, &args->trace);
  verb->add_flag("--names", args->names,
                 "Say of each tensor what the model calls it, its type and "
                 "shape, and which operators write and read it");
  AddDelegateOptions(verb, &args->delegates);
  AddStreams(verb,
             "Schedule the operators on so many streams, and write a problem "
             "with the users of each record, as JSON",
             &args->trace.model.streams)
      ->excludes("--delegate");
  LimitTo(InputKind::kModel,
          AddSharing(verb,
                     "Under cpu, the default with it: outputs take over the "
                     "memory of inputs wherever they may (fixed, the default); "
                     "what may share is a group, in a problem as JSON "
                     "(groups); nothing shares (none)",
                     &args->trace.model.sharing),
          &args->trace.limits, [args = args.get()](const SeenInput&) {
            return WhyNoSharing(args->trace);
          });
  AddShadows(verb, &args->trace);
  AddFormat(verb, &args->format);
  verb->footer("Example:\n  stowage trace data/models/keyword_int8.tflite");
  verb->callback([action, args, verb] {
    // Delegates, sharing and shadows exist only under the rules `cpu`, which
    // are therefore the default if one of them is asked for.
    if ((verb->count("--delegate") > 0 || verb->count("--sharing") > 0 ||
         verb->count("--shadow") > 0) &&
        verb->count("--lifetimes") == 0) {
      args->trace.lifetimes = LifetimeRules::kCpu;
    }
    *action = [args] { return RunTrace(*args); };
  });
}

}  // namespace stowage::cli
