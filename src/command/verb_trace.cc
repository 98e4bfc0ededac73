// SPDX-License-Identifier: Apache-2.0
// The verb `stowage trace`: writes the usage records of a model or of a
// recording.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/delegate_options.h"
#include "src/command/dynamic_inputs.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "src/command/program_options.h"
#include "src/command/program_plan.h"
#include "src/command/shape_options.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/io/problem_file.h"
#include "stowage/io/record_json.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/programs/program_file.h"
#include "stowage/recordings/recording.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/usage_record.h"

namespace stowage::cli {
namespace {

struct TraceArgs {
  std::vector<std::string> inputs;
  std::string model;  // a model or a recording; names all inputs
  bool has_input = false;
  bool lists_formats = false;
  // The file of the trace. If empty, the trace is written to standard output,
  // unless the format is JSON.
  std::string output;
  Format format = Format::kText;
  InputOptions trace;
  DelegateArgs delegates;
  bool names = false;
};

// Returns the records of the graph that remains after delegation.
absl::StatusOr<TraceInput> ReadDelegated(
    const TraceArgs& args, std::vector<harness::DelegateRequest> requests) {
  const auto model = Model::Read(args.model);
  if (!model.ok()) return model.status();
  const absl::Status claimed =
      ClaimNodes(args.delegates, **model, args.trace.model.subgraph,
                 absl::MakeSpan(requests));
  if (!claimed.ok()) return claimed;
  absl::StatusOr<ModelTrace> trace =
      harness::CpuTraceOf(**model, harness::BuiltinOperators(),
                          args.trace.model, requests, args.trace.shadows);
  if (!trace.ok()) return trace.status();
  const absl::Status open =
      NoteOpenShapes(args.model, trace->open, args.trace.is_strict);
  if (!open.ok()) return open;
  return TraceInput{*std::move(trace), {}};
}

// Adds lines for people that state what was read and what was left out.
void SayModel(const TraceArgs& args, const ModelTrace& model, Answer* answer) {
  const ProblemSpec& problem = model.problem;
  const auto say = [&](const Value& line) {
    answer->SayLine(Phrase(InputName(args.model), ": ", line));
  };
  // Under the rules `micro`, all subgraphs are planned at once.
  const Value graphs = args.trace.lifetimes == LifetimeRules::kMicro
                           ? Value(Count(model.subgraph_count, "subgraph"))
                           : Phrase("subgraph ", args.trace.model.subgraph,
                                    " of ", model.subgraph_count);
  say(Phrase(graphs, ": ",
             Count(model.operator_count,
                   args.delegates.delegates.empty() ? "operator" : "task"),
             ", ", Count(problem.records.size(), "record"), ", lifetimes ",
             problem.labels.lifetimes));
  if (args.trace.model.sharing == Sharing::kGroups) {
    say(Phrase(Count(CountGroups(problem), "group"),
               " of records that may share memory"));
  } else if (args.trace.model.sharing == Sharing::kNone) {
    say("no sharing of memory in place");
  }
  if (const auto& order = problem.constraints.order) {
    say(Phrase(Count(order->chains(), "stream"), ", ",
               Count(order->edges().size(), "wait")));
  }
  if (model.folded_tensors > 0) {
    say(Phrase("left out ", Count(model.folded_tensors, "tensor"),
               " computed from constants alone, which can be done once: ",
               Size(model.folded_bytes)));
  }
  if (model.shadowed_operators > 0) {
    say(Phrase(Count(model.shadowed_operators, "operator"),
               " without a kernel, with shapes as declared"));
  }
  if (model.computed_operators > 0) say(DescribeComputed(model));
}

// Returns a record in the form that it has in problem files. The interval is
// included even if the record has users. If `has_names` is true, the row has
// every key that describes the tensor, even a key for which the model has no
// value.
Json RowOf(const ProblemFile& file, size_t i, bool has_names) {
  const TensorUsageRecord<size_t>& record = file.problem.records[i];
  Json row = {{"id", file.problem.names[i]},
              {"lower", record.first_task},
              {"upper", record.last_task + 1},
              {"size", record.tensor_size}};
  if (has_names) {
    row.update({{"name", ""},
                {"type", ""},
                {"shape", ""},
                {"producer", nullptr},
                {"consumers", Json::array()}});
  }
  row.update(Json::parse(FormatRecordJson(file, i)));
  return row;
}

// Returns the answer for people and for programs. `file` has the problem of the
// model, and must exist until the answer has been rendered.
Answer AnswerOf(const TraceArgs& args, const ModelTrace& model,
                const ProblemFile& file,
                const std::vector<std::string>& warnings) {
  const ProblemSpec& problem = file.problem;
  Answer answer;
  SayModel(args, model, &answer);
  for (const std::string& warning : warnings) {
    answer.SayLine(Phrase("warning: ", warning));
  }
  answer.AddData("input", args.model);
  answer.AddData("subgraph", args.trace.model.subgraph);
  answer.AddData("subgraphs", model.subgraph_count);
  answer.AddData("lifetimes", problem.labels.lifetimes);
  answer.AddData("operators", model.operator_count);
  answer.AddData("computed_operators", model.computed_operators);
  answer.AddData("records", problem.records.size());
  answer.AddData("folded", {{"tensors", model.folded_tensors},
                            {"bytes", model.folded_bytes}});
  answer.AddList("trace", problem.records.size(),
                 [&file, has_names = args.names](size_t i) {
                   return RowOf(file, i, has_names);
                 });
  if (args.trace.model.sharing != Sharing::kFixed) {
    answer.AddData("sharing",
                   std::string(SharingName(args.trace.model.sharing)));
  }
  if (!warnings.empty()) answer.AddData("warnings", warnings);
  if (args.trace.shadows.mode != harness::ShadowMode::kNone) {
    answer.AddData("shadowed_operators", model.shadowed_operators);
  }
  if (const auto& order = problem.constraints.order) {
    answer.AddList("streams", order->chains(), [&order](size_t s) -> Json {
      return std::vector<TaskId>(order->chain(s).begin(),
                                 order->chain(s).end());
    });
    answer.AddList("waits", order->edges().size(), [&order](size_t k) -> Json {
      return {order->edges()[k].before, order->edges()[k].after};
    });
  }
  const std::vector<std::string>& operators = problem.labels.operators;
  if (args.names) {
    answer.AddList("operator_names", operators.size(),
                   [&operators](size_t k) { return FileText(operators[k]); });
  }
  return answer;
}

// Returns the answer about a recording.
Answer RecordingAnswer(const TraceArgs& args, const std::string& format,
                       const ProblemFile& file) {
  const size_t records = file.problem.records.size();
  Answer answer;
  const bool lacks_names = args.names && file.problem.labels.tensors.empty();
  answer.SayLine(Phrase(InputName(args.model), ": ", format, ": ",
                        Count(records, "record"),
                        lacks_names ? ", without names" : ""));
  answer.AddData("input", args.model);
  answer.AddData("format", format);
  answer.AddData("records", records);
  answer.AddList("trace", records, [&file, has_names = args.names](size_t i) {
    return RowOf(file, i, has_names);
  });
  return answer;
}

// Adds a line for each format. A format that cannot be planned gets a second
// line that states what to record instead. Each name is followed by two blanks,
// so that the continuation of a long description begins below the description
// (FitLines).
void SayFormats(const std::vector<RecordingFormatInfo>& formats,
                Answer* answer) {
  constexpr absl::string_view kRefusal = "  cannot be planned";
  size_t width = kRefusal.size();
  for (const RecordingFormatInfo& info : formats) {
    width = std::max(width, info.name.size());
  }
  const auto say = [&](absl::string_view name, absl::string_view text) {
    answer->SayLine(
        absl::StrFormat("%-*s  %s", static_cast<int>(width), name, text));
  };
  for (const RecordingFormatInfo& info : formats) {
    say(info.name, info.description);
    if (!info.instead.empty()) {
      say(kRefusal, info.instead);
    }
  }
}

// Returns the table of formats.
Outcome ListFormats(Format format) {
  Answer answer;
  const std::vector<RecordingFormatInfo> formats = RecordingFormats();
  answer.AddList("formats", formats.size(), [&formats](size_t i) -> Json {
    const RecordingFormatInfo& info = formats[i];
    return {{"name", std::string(info.name)},
            {"description", std::string(info.description)},
            {"instead",
             info.instead.empty() ? Json() : Json(std::string(info.instead))}};
  });
  SayFormats(formats, &answer);
  Outcome outcome;
  outcome.out = answer.Render(format);
  return outcome;
}

// Options that have no effect on models that are planned as programs.
constexpr const char* kIdleInTrace[] = {"--sharing",  "--shadow", "--streams",
                                        "--delegate", "--names",  "--parameter",
                                        "--where"};

// Options that have no effect on models whose shapes have parameters.
constexpr const char* kIdleWithParameters[] = {"--streams", "--delegate"};

absl::Status CheckArgs(const CLI::App& verb, const TraceArgs& args) {
  if (absl::Status s =
          CheckProgramOptions(verb, args.trace, args.inputs, kIdleInTrace);
      !s.ok()) {
    return s;
  }
  if (absl::Status s = CheckStandardInput(args.inputs); !s.ok()) return s;
  if (HasParameters(args.trace.open)) {
    if (absl::Status s = CheckParameters(args.trace.open); !s.ok()) return s;
    if (absl::Status s = CheckNotGiven(verb, kIdleWithParameters,
                                       "with --parameter; expected one of the "
                                       "two");
        !s.ok()) {
      return s;
    }
  }
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
                          args.inputs);
}

bool IsProblem(const TraceArgs& args) {
  return args.trace.model.streams > 0 ||
         args.trace.model.sharing == Sharing::kGroups;
}

// Writes a program.
Outcome DeliverProgram(const TraceArgs& args, const ProblemFile& file) {
  Answer answer;
  answer.Add("input", "input", args.model);
  if (args.inputs.size() > 1) answer.AddData("inputs", args.inputs);
  answer.Add("records", "records", file.problem.records.size());
  AddProgramOf(file.problem, &answer);
  AddStateOf(file.problem, &answer);
  return DeliverFile(args.output, FormatProgramJson(ProgramFileOf(file)),
                     answer, args.format);
}

// Writes the program that the options create from the inputs.
Outcome RunProgram(const TraceArgs& args) {
  InputReader inputs(args.trace);
  const absl::StatusOr<ProblemFile> file = inputs.ReadProblems(args.inputs);
  if (absl::Status s = inputs.CheckOptions(); !s.ok()) {
    return Misuse("trace", s.message());
  }
  if (!file.ok()) return BadInput(file.status());
  return DeliverProgram(args, *file);
}

// Writes the problem of a model whose shapes have parameters.
Outcome RunDynamicTrace(const TraceArgs& args) {
  InputReader inputs(args.trace);
  DynamicInput input;
  inputs.KeepDynamic(&input);
  const absl::Status read = inputs.ReadProblem(args.model).status();
  if (absl::Status s = inputs.CheckOptions(); !s.ok()) {
    return Misuse("trace", s.message());
  }
  if (!read.ok()) return BadInput(read);
  if (!args.names) DropNames(&input.file.problem.problem);
  Answer answer;
  answer.Add("input", "input", args.model);
  answer.Add("lifetimes", "lifetimes", LifetimeRulesName(args.trace.lifetimes));
  AddDynamicProblem(*input.problem, &answer);
  return DeliverFile(args.output, FormatDynamicJson(input.file), answer,
                     args.format);
}

Outcome RunTrace(const CLI::App& verb, const TraceArgs& args) {
  if (args.has_input == args.lists_formats) {
    return Misuse("trace", "expected INPUT or --list-formats");
  }
  if (args.lists_formats) return ListFormats(args.format);
  if (absl::Status s = CheckArgs(verb, args); !s.ok()) {
    return Misuse("trace", s.message());
  }
  if (args.trace.program.IsGiven()) return RunProgram(args);
  if (HasParameters(args.trace.open)) return RunDynamicTrace(args);
  absl::StatusOr<std::vector<harness::DelegateRequest>> requests =
      RequestDelegates(args.delegates);
  if (!requests.ok()) return FailedRequest("trace", requests.status());
  std::string format = "tflite";
  absl::StatusOr<TraceInput> input =
      requests->empty() ? ReadTraceInput(args.model, args.trace, &format)
                        : ReadDelegated(args, *std::move(requests));
  if (!format.empty()) {
    const absl::Status effects =
        CheckEffects(args.trace.limits, {SeenInputOf(args.model, format)});
    if (!effects.ok()) return Misuse("trace", effects.message());
  }
  if (!input.ok()) return BadInput(input.status());
  ModelTrace* const model = &input->trace;
  if (model->problem.labels.program != nullptr) {
    return DeliverProgram(args, {model->problem});
  }
  if (!args.names) DropNames(&model->problem);
  // A partial order requires a problem file, since CSV cannot express users.
  // Groups are written to a problem file, too, so that orders and groups are
  // read in the same way.
  const ProblemFile file = {model->problem};
  absl::StatusOr<std::string> text =
      IsProblem(args) ? FormatProblemJson(file) : FormatProblemCsv(file);
  if (!text.ok()) {
    return Failure(ExitCode::kBadInput,
                   DescribeError(args.model, model->problem, text.status()));
  }
  return DeliverFile(args.output, *std::move(text),
                     format == "tflite"
                         ? AnswerOf(args, *model, file, input->warnings)
                         : RecordingAnswer(args, format, file),
                     args.format);
}

}  // namespace

void AddTrace(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "trace", "Write the usage records of a model or a recording");
  auto args = std::make_shared<TraceArgs>();
  CLI::Option* const input =
      verb->add_option("INPUT", args->inputs,
                       "The .tflite model, or the recording of another "
                       "program; - for standard input; several models with "
                       "--together")
          ->type_name("");
  verb->add_flag("--list-formats", args->lists_formats,
                 "List the formats of recordings instead");
  AddOutput(verb, "TRACE.csv",
            "Write the trace here; - for standard output (the default)",
            &args->output);
  AddModelOptions(verb, &args->trace, /*takes_parameters=*/true);
  AddRecordingOptions(verb, &args->trace);
  verb->add_flag("--names", args->names,
                 "Add the name, type and shape of each tensor, and the "
                 "operators that write and read it");
  AddDelegateOptions(verb, &args->delegates);
  LimitTo({InputKind::kModel},
          AddStreams(verb,
                     "Schedule the operators on up to K streams, and write a "
                     "problem (JSON) with the users of each record",
                     &args->trace.model.streams)
              ->excludes("--delegate"),
          &args->trace);
  LimitTo(
      {InputKind::kModel},
      AddSharing(
          verb,
          "Under --lifetimes cpu, which this option implies: outputs of "
          "operators take over the memory of inputs wherever they may (fixed, "
          "the default); the trace is a problem (JSON) with groups of tensors "
          "that may share memory (groups); or nothing shares memory (none)",
          &args->trace.model.sharing),
      &args->trace, [args = args.get()](const SeenInput&) {
        return WhyNoSharing(args->trace);
      });
  AddShadows(verb, &args->trace);
  AddCopies(verb, &args->trace);
  AddProgramOptions(verb, &args->trace);
  AddFormat(verb, &args->format);
  verb->footer("Example:\n  stowage trace data/models/keyword_int8.tflite");
  verb->callback([action, args, verb, input] {
    args->has_input = input->count() > 0;
    args->model = absl::StrJoin(args->inputs, ", ");
    // Delegates, sharing and shadows exist only under the rules `cpu`. If one
    // of them is requested, `cpu` is therefore the default.
    if ((verb->count("--delegate") > 0 || verb->count("--sharing") > 0 ||
         verb->count("--shadow") > 0 || args->trace.program.IsGiven()) &&
        verb->count("--lifetimes") == 0) {
      args->trace.lifetimes = LifetimeRules::kCpu;
    }
    NestByDefault(*verb, kIdleInTrace, &args->trace);
    *action = [args, verb] { return RunTrace(*verb, *args); };
  });
}

}  // namespace stowage::cli
