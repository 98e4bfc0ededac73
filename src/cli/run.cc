// SPDX-License-Identifier: Apache-2.0
// stowage run: runs a model under a plan, and finds out whether it may.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/cli/inputs.h"
#include "src/cli/json.h"
#include "src/cli/options.h"
#include "src/cli/output_files.h"
#include "src/cli/progress.h"
#include "src/cli/run_report.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"
#include "src/report/dump.h"
#include "src/report/run_model.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/recorder.h"
#include "stowage/harness/shadow.h"
#include "stowage/strategy.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {
namespace {

// The pattern of bytes that are not live; the run without sharing has another.
constexpr uint8_t kPoison = 0xA5;

// Bytes after the arena in which a write past its end shows.
constexpr size_t kGuardBytes = 64;

absl::Status ParseStrategy(const std::string& name, std::string* strategy) {
  *strategy = name;
  return FindStrategy(name).status();
}

// What kernels need at least.
absl::StatusOr<size_t> ParseTensorAlignment(absl::string_view text) {
  absl::StatusOr<size_t> alignment = ParseAlignment(text);
  if (!alignment.ok() || *alignment >= harness::kMinTensorAlignment) {
    return alignment;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "'; expected at least ", harness::kMinTensorAlignment));
}

// In InterpreterOptions 0 means no limit; on the command line that is `none`.
absl::StatusOr<size_t> ParseMemoryLimit(absl::string_view text) {
  if (text == "none") return 0;
  absl::StatusOr<size_t> limit = ParseSize(text);
  if (limit.ok() && *limit == 0) {
    return absl::InvalidArgumentError(
        "'0'; expected a size of at least 1 byte, or none");
  }
  return limit;
}

// A number of 1 or more.
absl::StatusOr<size_t> ParseCount(absl::string_view text) {
  const absl::StatusOr<uint64_t> count = ParseNumber(text);
  if (!count.ok()) return count.status();
  if (*count > 0) return static_cast<size_t>(*count);
  return absl::InvalidArgumentError("'0'; expected at least 1");
}

absl::Status ParseInputFile(const std::string& text,
                            std::vector<std::string>* inputs) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "'; expected NAME=FILE"));
  }
  inputs->push_back(text);
  return absl::OkStatus();
}

// The paths of inputs by what they are called.
std::map<std::string, std::string> InputPaths(const RunArgs& args) {
  std::map<std::string, std::string> paths;
  for (const std::string& input : args.inputs) {
    const size_t equals = input.find('=');
    paths[input.substr(0, equals)] = input.substr(equals + 1);
  }
  return paths;
}

// Error: InvalidArgument if --dump would replace a file that is read.
absl::Status CheckDump(const RunArgs& args) {
  if (args.dump.empty()) return absl::OkStatus();
  std::vector<std::string> inputs = {args.model};
  for (const auto& [name, path] : InputPaths(args)) inputs.push_back(path);
  return CheckDumpFolder(args.dump, inputs);
}

// Runs the model twice, under the plan and without sharing.
absl::StatusOr<harness::CheckReport> Check(const RunArgs& args,
                                           const Model& model,
                                           const report::RunRequest& request) {
  harness::CheckOptions options;
  options.plan = request.interpreter;
  options.subgraph = request.subgraph;
  options.invocations = request.invocations;
  options.compares_all = args.check == "all";
  options.poison = args.poison;
  options.touch = args.touch;
  auto source =
      std::make_shared<report::InputSource>(request.seed, request.files);
  options.feed = [source](harness::Subgraph& graph, size_t invocation) {
    return source->Fill(&graph, invocation);
  };
  return harness::CheckPlan(model, harness::BuiltinOperators(), options);
}

report::RunRequest RequestOf(const RunArgs& args) {
  report::RunRequest request;
  request.interpreter = args.interpreter;
  request.subgraph = args.subgraph;
  request.seed = args.seed;
  request.invocations = args.invocations;
  request.repeat = args.repeat;
  request.dump = args.dump;
  if (!args.shadow.empty()) {
    request.interpreter.shadow = args.shadow == "all"
                                     ? harness::ShadowMode::kAll
                                     : harness::ShadowMode::kMissing;
  }
  request.dump_header = {{"runtime", "stowage"},
                         {"model", args.model},
                         {"seed", args.seed},
                         {"invocations", args.invocations}};
  if (!args.shadow.empty()) request.dump_header["shadow"] = args.shadow;
  return request;
}

// An observer's finding is not the file's fault.
Outcome FailedRun(const absl::Status& status) {
  const bool is_finding = absl::IsDataLoss(status);
  return Failure(is_finding ? ExitCode::kRefuted : ExitCodeOf(status),
                 status.message());
}

Outcome RunRun(const RunArgs& args) {
  if (absl::Status s = CheckDump(args); !s.ok()) {
    return Failure(ExitCode::kMisuse,
                   absl::StrCat("stowage run: ", s.message()));
  }
  Progress progress(args.check.empty() ? 2 : 3);
  progress.Begin(absl::StrCat("reading ", args.model));
  const auto model = Model::Read(args.model);
  if (!model.ok()) {
    return Failure(ExitCode::kBadInput, model.status().message());
  }
  report::RunRequest request = RequestOf(args);
  absl::StatusOr<std::map<std::string, std::string>> files =
      report::ReadInputFiles(**model, request, InputPaths(args));
  if (!files.ok()) {
    return Failure(ExitCode::kBadInput, files.status().message());
  }
  request.files = *std::move(files);
  RunStory story;
  story.args = &args;
  if (!args.check.empty()) {
    progress.Begin(absl::StrCat("checking ", args.model));
    absl::StatusOr<harness::CheckReport> check = Check(args, **model, request);
    if (!check.ok()) return FailedRun(check.status());
    story.check = *std::move(check);
    if (!story.check->is_safe()) {
      return {ExitCode::kRefuted, Tell(story), UnsafeMessage(story)};
    }
  }
  progress.Begin(absl::StrCat("running ", args.model));
  harness::PoisonChecker poison(kPoison);
  harness::TouchChecker touch;
  harness::Profiler profiler;
  if (args.poison) {
    request.interpreter.observers.push_back(&poison);
    request.interpreter.guard_bytes = kGuardBytes;
  }
  if (args.touch) request.interpreter.observers.push_back(&touch);
  if (args.profile) request.interpreter.observers.push_back(&profiler);
  const absl::StatusOr<report::RunResult> result =
      report::RunModel(**model, request);
  if (!result.ok()) return FailedRun(result.status());
  story.result = &*result;
  story.profiler = args.profile ? &profiler : nullptr;
  return {ExitCode::kDone, Tell(story), ""};
}

void AddPlanOptions(CLI::App* verb, RunArgs* args) {
  harness::InterpreterOptions* options = &args->interpreter;
  AddValue(verb, "--strategy", "NAME",
           "Who places tensors: see stowage list; arena_best_fit is the CPU "
           "planner's own (default: whichever plans smallest)",
           [options](const std::string& name) {
             return ParseStrategy(name, &options->strategy);
           });
  AddKind(verb, &options->kind);
  AddParsed(verb, "--alignment", "N", "Of tensors in the arena (default 64)",
            ParseTensorAlignment, &options->tensor_alignment);
  AddLifetimes(verb,
               "Operators share memory in place and keep tensors as TensorFlow "
               "Lite's CPU interpreter has it (cpu, the default), or tensors "
               "live from their writer to their last reader (plain)",
               &options->lifetimes);
  AddIoLifetime(verb, &options->io_lifetime);
  verb->add_flag("--preserve-all", options->preserve_all_tensors,
                 "Nothing shares memory; --dump has every tensor");
  AddParsed(verb, "--memory-limit", "SIZE|none",
            "Bytes that the run may take; none: what the machine has (the "
            "default)",
            ParseMemoryLimit, &options->memory_limit);
}

void AddRunOptions(CLI::App* verb, RunArgs* args) {
  AddParsed(verb, "--subgraph", "N", "Which subgraph (default 0)", ParseNumber,
            &args->subgraph);
  AddParsed(verb, "--seed", "N",
            "Inputs that are not given are drawn from it (default 1)",
            ParseNumber, &args->seed);
  AddParsed(verb, "--invocations", "N", "Runs, with state kept (default 1)",
            ParseCount, &args->invocations);
  AddValue(verb, "--input", "NAME=FILE",
           "Raw bytes of an input, by its name or number; may be repeated",
           [args](const std::string& text) {
             return ParseInputFile(text, &args->inputs);
           })
      ->take_all();
  AddValue(verb, "--dump", "DIR",
           "Write inputs, outputs and manifest.json into this folder",
           [args](const std::string& text) {
             args->dump = text;
             return text.empty()
                        ? absl::InvalidArgumentError("''; expected a path")
                        : absl::OkStatus();
           });
  AddParsed(verb, "--repeat", "N", "Run all of it so often, to time it",
            ParseCount, &args->repeat);
}

void AddChecks(CLI::App* verb, RunArgs* args) {
  verb->add_flag("--check{outputs}", args->check,
                 "Run without sharing too, and compare the outputs bit for "
                 "bit; --check=all: every tensor")
      ->check(CLI::IsMember({"outputs", "all"}))
      ->type_name("");
  verb->add_flag("--shadow{missing}", args->shadow,
                 "Run operators that there are no kernels for as functions of "
                 "all their inputs; --shadow=all: every operator")
      ->check(CLI::IsMember({"missing", "all"}))
      ->type_name("");
  verb->add_flag("--poison", args->poison,
                 "Keep what is dead or not yet born filled with a pattern");
  verb->add_flag("--touch-check", args->touch,
                 "Find operators that change a tensor that is not theirs");
  verb->add_flag("--memory", args->memory, "What memory is used for");
  verb->add_flag("--profile", args->profile, "The time of every operator");
}

}  // namespace

void AddRun(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand("run", "Run a model under a plan");
  auto args = std::make_shared<RunArgs>();
  verb->add_option("MODEL", args->model,
                   "A .tflite model; - for standard input")
      ->required()
      ->type_name("");
  AddPlanOptions(verb, args.get());
  AddRunOptions(verb, args.get());
  AddChecks(verb, args.get());
  AddFormat(verb, &args->format);
  verb->footer(
      "Example:\n"
      "  stowage run data/models/residual_int8.tflite --check --poison");
  verb->callback(
      [action, args] { *action = [args] { return RunRun(*args); }; });
}

}  // namespace stowage::cli
