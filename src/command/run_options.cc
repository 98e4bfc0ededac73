// SPDX-License-Identifier: Apache-2.0
#include "src/command/run_options.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/command/delegate_options.h"
#include "src/command/event_file.h"
#include "src/command/inputs.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/shape_options.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/run_model.h"
#include "stowage/programs/program_problem.h"
#include "stowage/strategy.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {
namespace {

// Parses an alignment. Errors: those of ParseAlignment; InvalidArgument if the
// alignment is smaller than kernels need.
absl::StatusOr<size_t> ParseTensorAlignment(absl::string_view text) {
  absl::StatusOr<size_t> alignment = ParseAlignment(text);
  if (!alignment.ok() || *alignment >= harness::kMinTensorAlignment) {
    return alignment;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "'; expected at least ", harness::kMinTensorAlignment));
}

// Parses a limit on memory. Returns 0 for `none`, because 0 means that there is
// no limit in InterpreterOptions.
absl::StatusOr<size_t> ParseMemoryLimit(absl::string_view text) {
  if (text == "none") return 0;
  absl::StatusOr<size_t> limit = ParseSize(text);
  if (limit.ok() && *limit == 0) {
    return absl::InvalidArgumentError(
        "'0'; expected a size of at least 1 byte, or none");
  }
  return limit;
}

absl::Status ParseInputFile(const std::string& text, RunArgs* args) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "'; expected NAME=FILE"));
  }
  const std::string name = text.substr(0, equals);
  if (args->input_paths.try_emplace(name, text.substr(equals + 1)).second) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "input '", name, "' is given twice; expected one file for each input"));
}

absl::Status AddSignature(const std::string& text,
                          std::vector<std::string>* signatures) {
  if (absl::c_linear_search(*signatures, text)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is given twice; expected it once"));
  }
  signatures->push_back(text);
  return absl::OkStatus();
}

// Restricts an option to command lines on which it has an effect. `why` returns
// the reason why the option has no effect, or an empty string.
void LimitRun(CLI::Option* option, std::string (*why)(const RunArgs&),
              RunArgs* args) {
  LimitTo({InputKind::kModel}, option, &args->limits,
          [why, args](const SeenInput&) { return why(*args); });
}

// Returns the reason why an option that affects the plan of the arena has no
// effect, or an empty string if it has an effect.
std::string WhyNoPlan(const RunArgs& args) {
  return args.options.plan.preserve_all_tensors
             ? "with --preserve-all, which frees and shares no memory; "
               "expected one of the two"
             : "";
}

std::string WhyNoRunSharing(const RunArgs& args) {
  std::string why = WhyNoPlan(args);
  if (!why.empty()) return why;
  InputOptions options;
  options.lifetimes = args.options.plan.lifetimes;
  return WhyNoSharing(options);
}

// Returns the reason why an option about calls has no effect on the model.
// Returns an empty string if the model has not been read yet, or if one of its
// operators passes arguments to a subgraph. If `name` is not empty, considers
// only operators with this name.
std::string WhyNoCalls(const SeenInput& input, absl::string_view name) {
  if (input.model == nullptr) return "";
  for (const SubgraphSpec& graph : input.model->subgraphs()) {
    for (const OperatorSpec& op : graph.operators) {
      if (PassesArguments(op) && (name.empty() || op.name == name)) return "";
    }
  }
  return absl::StrCat(", which has no ",
                      name.empty() ? "IF, WHILE or STABLEHLO_COMPOSITE" : name,
                      "; expected a model with one");
}

std::string WhyNoCopies(const RunArgs& args, const SeenInput& input) {
  std::string why = WhyNoPlan(args);
  if (why.empty() && args.options.plan.kind == PlanKind::kObjects) {
    why =
        "with --kind objects, of which each subgraph has its own; expected "
        "offsets";
  }
  if (why.empty() && args.options.plan.streams > 1) {
    why =
        "with --streams, for which each subgraph has an arena of its own; "
        "expected one stream";
  }
  return why.empty() ? WhyNoCalls(input, "") : why;
}

std::string WhyNoState(const RunArgs& args, const SeenInput& input) {
  const harness::InterpreterOptions& plan = args.options.plan;
  std::string why = WhyNoRunSharing(args);
  if (why.empty() && plan.kind == PlanKind::kObjects) {
    why = "with --kind objects; expected offsets";
  }
  if (why.empty() && plan.streams > 1) {
    why = "with --streams; expected one stream";
  }
  if (why.empty() && plan.sharing != Sharing::kFixed) {
    why = "with --sharing none or groups; expected fixed";
  }
  if (why.empty() && plan.copies == ProgramCopies::kMade) {
    why = "with --copies made, which copies variables, too; expected another";
  }
  if (!why.empty() || input.model == nullptr || HasVariables(*input.model)) {
    return why;
  }
  return ", which has no resource variables; expected a model with some";
}

std::string WhyNoArena(const RunArgs& args) {
  return args.is_micro ? "" : "without --arena; expected --arena micro";
}

// Counts the files without resolving their names: a name that is wrong or given
// twice is an error of --input. Knows nothing about several entries.
std::string WhyNoSeed(const RunArgs& args, const SeenInput& input) {
  const size_t subgraph = args.options.subgraph;
  if (input.model == nullptr || args.models.size() > 1 ||
      !args.signatures.empty() || subgraph >= input.model->subgraphs().size() ||
      args.input_paths.size() <
          input.model->subgraphs()[subgraph].inputs.size()) {
    return "";
  }
  return ", all of whose inputs have files; expected an input without --input";
}

void AddPlanOptions(CLI::App* verb, RunArgs* args) {
  harness::InterpreterOptions* const plan = &args->options.plan;
  AddParsed(verb, "--strategy", "NAME",
            "Strategy that plans the arena: see stowage list (default: the "
            "one with the smallest plan)",
            ParseStrategy, &plan->strategy);
  AddKind(verb, &plan->kind);
  AddParsed(verb, "--alignment", "N",
            "Alignment of tensors in the arena (default 64)",
            ParseTensorAlignment, &plan->tensor_alignment);
  LimitRun(AddLifetimes(
               verb,
               "Lifetimes and in-place sharing as in TensorFlow Lite's CPU "
               "interpreter (cpu, the default); lifetimes from producer to "
               "last reader, without in-place sharing (plain); or as plain, "
               "but graph inputs, too, live only to their last reader (micro)",
               &plan->lifetimes),
           WhyNoPlan, args);
  LimitRun(
      AddSharing(
          verb,
          "Under --lifetimes cpu: outputs of operators take over the memory of "
          "inputs wherever they may (fixed, the default), where that does not "
          "make the plan larger, also for inputs of concatenations and outputs "
          "of splits (groups), or nowhere (none); resource variables are kept "
          "in place only with fixed",
          &plan->sharing),
      WhyNoRunSharing, args);
  LimitRun(AddIoLifetime(
               verb,
               "How long graph inputs live: to the end (keep, the default), or "
               "to their last use (use, the default under --lifetimes micro)",
               &plan->io_lifetime),
           WhyNoPlan, args);
  verb->add_flag(
      "--preserve-all", plan->preserve_all_tensors,
      "Let no tensor share memory, so that --dump writes all tensors; options "
      "that affect only plans in which tensors share memory are refused");
  AddParsed(verb, "--memory-limit", "SIZE|none",
            "Bytes that the run may allocate (default none)", ParseMemoryLimit,
            &plan->memory_limit);
}

void AddCallOptions(CLI::App* verb, RunArgs* args) {
  CLI::Option* const copies =
      AddChoice(verb, "--copies",
                {{"made", ProgramCopies::kMade},
                 {"chosen", ProgramCopies::kChosen},
                 {"none", ProgramCopies::kNone}},
                "Copies of arguments and results of IF, WHILE and "
                "STABLEHLO_COMPOSITE: all (made), those without which the "
                "arena would be larger (chosen, the default), or only those "
                "that cannot be left out (none)",
                &args->options.plan.copies);
  LimitTo({InputKind::kModel}, copies, &args->limits,
          [args](const SeenInput& input) { return WhyNoCopies(*args, input); });
  LimitTo(
      {InputKind::kModel},
      AddWord(verb, "--state", {"auto", "copy"},
              "Read and assign resource variables in their own memory "
              "wherever that is possible (auto, the default), or copy them "
              "each time (copy)",
              [args](size_t k) { args->options.plan.state_in_place = k == 0; }),
      &args->limits,
      [args](const SeenInput& input) { return WhyNoState(*args, input); });
  CLI::Option* const turns =
      AddParsed(verb, "--max-turns", "N",
                "Maximum number of iterations of a WHILE; exit code 5 if it "
                "makes more (default 1000000)",
                ParseNumber, &args->options.plan.max_turns);
  LimitTo({InputKind::kModel}, turns, &args->limits,
          [](const SeenInput& input) { return WhyNoCalls(input, "WHILE"); });
}

void AddInvocationOptions(CLI::App* verb, RunArgs* args) {
  harness::RunOptions* options = &args->options;
  AddParsed(verb, "--subgraph", "N",
            "Number of the subgraph to run, from 0 (default 0)", ParseNumber,
            &options->subgraph);
  AddRepeated(verb, "--signature", "NAME",
              "Signature to run instead of a subgraph; if repeated, all run "
              "one after the other in every invocation, in one arena",
              [args](const std::string& text) {
                return AddSignature(text, &args->signatures);
              })
      ->excludes("--subgraph");
  AddShape(verb, &args->shapes.shapes, &args->shapes.open);
  AddStrict(verb, &args->shapes.is_strict);
  LimitTo({InputKind::kModel},
          AddParsed(verb, "--seed", "N",
                    "Seed of the values of inputs without --input (default 1)",
                    ParseNumber, &options->seed),
          &args->limits,
          [args](const SeenInput& input) { return WhyNoSeed(*args, input); });
  AddParsed(verb, "--invocations", "N",
            "Number of invocations, between which state is kept (default 1)",
            ParsePositive, &options->invocations);
  AddRepeated(
      verb, "--input", "NAME=FILE",
      "File with the raw bytes of an input. NAME is the name or position of "
      "the input, with SIGNATURE: or MODEL: before it if there are several; "
      "may be repeated",
      [args](const std::string& text) { return ParseInputFile(text, args); });
  AddTexts(verb, "--state-io", "OUT=IN",
           "The output OUT of one invocation is the input IN of the next, in "
           "one place wherever that is possible; may be repeated",
           &args->carried);
  AddTexts(verb, "--hand", "FROM:OUT=TO:IN",
           "With several signatures or models: the output OUT of one is the "
           "input IN of a later one; may be repeated",
           &args->hand_overs);
  AddValue(verb, "--dump", "DIR",
           "Write inputs, outputs and manifest.json to this folder",
           [options](const std::string& text) {
             options->dump = text;
             return text.empty()
                        ? absl::InvalidArgumentError("''; expected a path")
                        : absl::OkStatus();
           });
  AddParsed(verb, "--repeat", "N",
            "Repeat all invocations, and report the median time (default 1)",
            ParsePositive, &options->repeat);
}

// Returns a validator that accepts two values. Its message names the expected
// values, unlike the message of CLI::IsMember.
CLI::Validator OneOf(const std::string& first, const std::string& second) {
  return CLI::Validator(
      [first, second](const std::string& value) {
        return value == first || value == second
                   ? std::string()
                   : absl::StrCat("'", value, "'; expected ", first, " or ",
                                  second);
      },
      absl::StrCat("{", first, ",", second, "}"));
}

// Adds the options for runs at several shapes with one order. They cannot be
// combined with options that choose another plan, or with options that report
// facts that depend on the shape.
void AddShapesOptions(CLI::App* verb, RunArgs* args) {
  CLI::Option* const parameter =
      AddParameter(verb, &args->shapes.open)->needs("--shape");
  AddWhere(verb, &args->shapes.open)->needs(parameter);
  CLI::Option* const at =
      AddTexts(verb, "--at", "NAME=VALUE",
               "Run at these values of the parameters, as in seq=128,batch=8; "
               "may be repeated. One order and one arena serve all values",
               &args->at)
          ->needs(parameter);
  parameter->needs(at);
  for (const char* other :
       {"--arena", "--strategy", "--kind", "--nodes", "--preserve-all",
        "--state-io", "--copies", "--max-turns", "--streams", "--delegate",
        "--shadow", "--memory", "--profile"}) {
    at->excludes(other);
  }
}

void AddChecks(CLI::App* verb, RunArgs* args) {
  verb->add_flag("--check{outputs}", args->check,
                 "Compare the outputs bit for bit with a run without sharing; "
                 "--check=all: every tensor")
      ->check(OneOf("outputs", "all"))
      ->type_name("");
  verb->add_flag("--shadow{missing}", args->shadow,
                 "Run operators without a kernel as functions of every byte of "
                 "their inputs; --shadow=all: run every operator like that")
      ->check(OneOf("missing", "all"))
      ->type_name("");
  verb->add_flag("--poison", args->options.poison,
                 "Fill bytes that are not live with a pattern, and find "
                 "operators that change these bytes or read tensors that are "
                 "not live");
  verb->add_flag("--touch-check", args->options.touch,
                 "Find operators that write tensors other than their own");
  verb->add_flag("--memory", args->memory, "Report what memory is used for");
  verb->add_flag("--profile", args->profile,
                 "Report the time of every operator");
  AddEventFile(verb, &args->events)->needs("--profile");
}

void AddBisection(CLI::App* verb, RunArgs* args) {
  CLI::Option* const bisect =
      verb->add_flag(
              "--bisect-delegate", args->bisects,
              "Compare the outputs with those of a run without delegates, and "
              "find the smallest set of nodes whose delegation changes them")
          ->needs("--delegate");
  for (const char* other : {"--check", "--dump", "--repeat", "--memory",
                            "--profile", "--delegate-fallback"}) {
    bisect->excludes(other);
  }
  AddParsed(verb, "--tolerance", "N",
            "For --bisect-delegate: the largest difference of two elements "
            "that passes, in steps for integers, absolute for floating point "
            "(default 0)",
            ParseTolerance, &args->tolerance)
      ->needs(bisect);
}

void AddArenaOptions(CLI::App* verb, RunArgs* args) {
  CLI::Option* const arena =
      AddWord(verb, "--arena", {"micro"},
              "Run in the arena of a device, as TensorFlow Lite Micro lays it "
              "out, planned by micro_first_fit unless --strategy is given",
              [args](size_t) {
                args->is_micro = true;
                args->options.plan.lifetimes = LifetimeRules::kMicro;
              });
  for (const char* other :
       {"--kind", "--alignment", "--lifetimes", "--io-lifetime",
        "--preserve-all", "--sharing", "--subgraph", "--repeat", "--delegate",
        "--poison", "--touch-check", "--memory", "--bisect-delegate",
        "--streams", "--perfetto", "--copies", "--state", "--state-io",
        "--signature"}) {
    arena->excludes(other);
  }
  LimitRun(AddParsed(verb, "--arena-size", "SIZE",
                     "Bytes of that arena (default: as many as the model "
                     "needs)",
                     ParseSize, &args->arena_size),
           WhyNoArena, args);
  LimitRun(AddChoice(verb, "--offline", {{"honour", true}, {"ignore", false}},
                     "With --arena: keep the offsets of the plan in the model "
                     "(honour), or place all tensors (ignore, the default)",
                     &args->honour_offline_plan),
           WhyNoArena, args);
}

}  // namespace

bool HasVariables(const Model& model) {
  for (const SubgraphSpec& graph : model.subgraphs()) {
    for (const OperatorSpec& op : graph.operators) {
      if (op.name == "READ_VARIABLE" || op.name == "ASSIGN_VARIABLE") {
        return true;
      }
    }
  }
  return false;
}

void AddRunOptions(CLI::App* verb, RunArgs* args) {
  AddInput(verb, "MODEL", &args->models,
           "A .tflite model; - for standard input; several run one after the "
           "other in every invocation, in one arena");
  AddPlanOptions(verb, args);
  AddSearchLimits(verb,
                  "20000 nodes; with --sharing groups also 1s for all choices "
                  "of groups together; with --arena 100ms",
                  &args->search);
  for (const char* limit : {"--time-limit", "--nodes"}) {
    LimitRun(verb->get_option(limit), WhyNoPlan, args);
  }
  AddInvocationOptions(verb, args);
  AddCallOptions(verb, args);
  AddDelegateOptions(verb, &args->delegates);
  AddStreams(verb,
             "Run operators on up to K threads at once, under a plan for K "
             "streams (default 1)",
             &args->options.plan.streams)
      ->excludes("--delegate");
  verb->add_flag("--delegate-fallback", args->options.plan.delegate_fallback,
                 "If a delegate cannot be applied or fails while it runs, run "
                 "without it, and say so")
      ->needs("--delegate");
  AddChecks(verb, args);
  // --perfetto draws a single sequence of tasks and cannot show a plan for
  // several streams.
  verb->get_option("--perfetto")->excludes("--streams");
  AddBisection(verb, args);
  AddArenaOptions(verb, args);
  AddShapesOptions(verb, args);
  AddFormat(verb, &args->format);
}

}  // namespace stowage::cli
