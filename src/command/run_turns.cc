// SPDX-License-Identifier: Apache-2.0
#include "src/command/run_turns.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/program_inputs.h"
#include "src/command/run_options.h"
#include "src/command/run_report.h"
#include "src/command/shape_options.h"
#include "src/command/text.h"
#include "stowage/base/text.h"
#include "stowage/error_payload.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/run_model.h"
#include "stowage/programs/combine.h"
#include "stowage/programs/entry_names.h"
#include "stowage/programs/program.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/program_of_model.h"

namespace stowage::cli {
namespace {

// Returns the turn to which an input belongs: the turn with the longest name
// such that `input` begins with this name and a colon. Returns an empty string
// if there is no such turn.
std::string TurnOfInput(absl::string_view input,
                        const std::vector<std::string>& turns) {
  std::string longest;
  for (const std::string& name : turns) {
    if (name.size() > longest.size() &&
        absl::StartsWith(input, absl::StrCat(name, ":"))) {
      longest = name;
    }
  }
  return longest;
}

// Returns the input files that belong to `turn`, which is one of several turns.
// The keys of the map are the names of the inputs without the name of the turn.
// This prefix is removed by its length, since names may contain colons.
std::map<std::string, std::string> FilesOf(const std::string& turn,
                                           const RunArgs& args) {
  std::map<std::string, std::string> paths;
  for (const auto& [name, path] : args.input_paths) {
    if (TurnOfInput(name, args.turns) != turn) continue;
    paths[name.substr(turn.size() + 1)] = path;
  }
  return paths;
}

absl::Status CheckInputs(const RunArgs& args) {
  for (const auto& [name, path] : args.input_paths) {
    if (!TurnOfInput(name, args.turns).empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--input ", name, "=", path, ": of several ",
                     args.models.size() > 1 ? "models" : "signatures",
                     "; expected NAME:INPUT=FILE, with one of ",
                     absl::StrJoin(args.turns, ", ")));
  }
  return absl::OkStatus();
}

absl::Status EnterSignatures(const Model& model, RunArgs* args) {
  std::vector<std::pair<std::string, size_t>> seen;
  for (const std::string& key : args->signatures) {
    const absl::StatusOr<size_t> subgraph = model.FindSignature(key);
    if (!subgraph.ok()) return subgraph.status();
    for (const auto& [other, entered] : seen) {
      if (entered != *subgraph) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "signatures ", Quoted(other), " and ", Quoted(key),
          " are one subgraph, ", entered, "; expected one of the two"));
    }
    seen.emplace_back(key, *subgraph);
    if (key == args->signatures.front()) {
      args->options.subgraph = *subgraph;
    } else {
      args->options.followers.push_back({*subgraph, {}, nullptr});
    }
  }
  if (seen.size() > 1) args->turns = args->signatures;
  return absl::OkStatus();
}

absl::Status EnterModels(RunArgs* args, OtherModels* others) {
  if (args->models.size() < 2) return absl::OkStatus();
  std::set<std::string> used;
  for (const std::string& path : args->models) {
    args->turns.push_back(NameOfProgram(path, &used));
    if (args->turns.size() == 1) continue;
    absl::StatusOr<std::unique_ptr<const Model>> model = Model::Read(path);
    if (!model.ok()) return model.status();
    others->push_back(*std::move(model));
    args->options.followers.push_back({0, {}, others->back().get()});
  }
  return absl::OkStatus();
}

// Finds the outputs and inputs that --hand names.
absl::Status FindHandOvers(const Model& model, RunArgs* args) {
  std::vector<NamedProgram> programs;
  std::vector<EntryNames> names;
  for (size_t i = 0; i < args->turns.size(); ++i) {
    const harness::Follower* const follower =
        i == 0 ? nullptr : &args->options.followers[i - 1];
    ProgramOfModelOptions options;
    options.subgraph =
        follower == nullptr ? args->options.subgraph : follower->subgraph;
    absl::StatusOr<ModelProgram> program = ProgramOfModel(
        follower == nullptr ? model : ModelOf(*follower, model), options);
    if (!program.ok()) return program.status();
    programs.push_back({args->turns[i], std::move(program->program)});
    names.push_back(std::move(program->names.front()));
  }
  for (const std::string& text : args->hand_overs) {
    const absl::StatusOr<HandOver> found = FindHandOver(text, programs, names);
    if (!found.ok()) return AtPlace("--hand", found.status());
    args->options.hand_overs.push_back(*found);
  }
  return absl::OkStatus();
}

// Returns the row of one turn in the table of results.
std::vector<Value> RowOf(const std::string& name,
                         const harness::RunResult& result) {
  const harness::CallCopies calls =
      result.calls.value_or(harness::CallCopies());
  return {name,
          result.strategy,
          result.arena_bytes,
          result.lower_bound,
          Data(result.naive_size),
          result.persistent_bytes,
          calls.state_bytes,
          Data(calls.copied_bytes),
          Data(calls.possible_bytes),
          Data(result.copies_avoided),
          Data(TimesOf(result).json),
          Data(OutputsJson(result))};
}

// Finds the outputs and inputs that --state-io names.
absl::Status FindCarried(const Model& model, RunArgs* args) {
  ProgramOfModelOptions options;
  options.subgraph = args->options.subgraph;
  absl::StatusOr<ModelProgram> program = ProgramOfModel(model, options);
  if (!program.ok()) return program.status();
  absl::Status status = absl::OkStatus();
  for (const std::string& text : args->carried) {
    if (status.ok()) {
      status = AddCarriedOutputs(text, program->names, &program->program);
    }
  }
  if (status.ok()) status = CheckProgram(program->program);
  if (!status.ok()) {
    return AtPlace(absl::StrCat(InputName(args->model), ": --state-io"),
                   status);
  }
  for (const CarriedOutput& carried : program->program.carried) {
    args->options.plan.carried.push_back(
        {options.subgraph, carried.output, carried.input});
  }
  return status;
}

}  // namespace

const Model& ModelOf(const harness::Follower& follower, const Model& first) {
  return follower.model == nullptr ? first : *follower.model;
}

absl::Status CheckTurns(const RunArgs& args) {
  const bool has_models = args.models.size() > 1;
  const bool has_signatures = args.signatures.size() > 1;
  const auto refuse = [](absl::string_view option, absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(option, ": ", why));
  };
  if (!args.signatures.empty() && HasParameters(args.shapes.open)) {
    return refuse("--signature",
                  "with parameters in --shape; expected --subgraph");
  }
  if (absl::Status s = CheckStandardInput(args.models); !s.ok()) return s;
  // --check and --shadow take a value only after "=", so another "all" is taken
  // as a model.
  const std::pair<const char*, bool> flags[] = {
      {"--check", !args.check.empty()}, {"--shadow", !args.shadow.empty()}};
  for (const auto& [name, is_given] : flags) {
    if (is_given && has_models && absl::c_linear_search(args.models, "all")) {
      return refuse(name, absl::StrCat("with the model all; expected ", name,
                                       "=all, or ./all for that model"));
    }
  }
  if (!has_models && !has_signatures) {
    return args.hand_overs.empty()
               ? absl::OkStatus()
               : refuse("--hand",
                        "without a later subgraph; expected several models, or "
                        "several --signature");
  }
  const std::tuple<const char*, bool, bool> others[] = {
      {"--signature", !args.signatures.empty(), has_models},
      {"--subgraph", args.options.subgraph > 0, has_models},
      {"--arena", args.is_micro, has_models},
      {"--shadow", !args.shadow.empty(), has_models},
      {"--shape",
       !args.shapes.shapes.empty() || HasParameters(args.shapes.open), true},
      {"--dump", !args.options.dump.empty(), true},
      {"--delegate", !args.delegates.delegates.empty(), true},
      {"--state-io", !args.carried.empty(), true},
      {"--perfetto", !args.events.path.empty(), true}};
  for (const auto& [name, is_given, is_refused] : others) {
    if (!is_given || !is_refused) continue;
    return refuse(name, has_models ? "with several models; expected one"
                                   : "with several signatures; expected one "
                                     "--signature");
  }
  return absl::OkStatus();
}

absl::Status EnterTurns(const Model& model, RunArgs* args,
                        OtherModels* others) {
  absl::Status status = EnterSignatures(model, args);
  if (status.ok()) status = EnterModels(args, others);
  if (status.ok() && !args->turns.empty()) status = CheckInputs(*args);
  if (status.ok() && !args->hand_overs.empty()) {
    status = FindHandOvers(model, args);
  }
  if (status.ok() && !args->carried.empty()) status = FindCarried(model, args);
  return status;
}

absl::Status ReadInputs(const RunArgs& args, const Model& model,
                        harness::RunOptions* options) {
  const auto read = [&](const Model& of, size_t subgraph, const auto& paths,
                        harness::InputFiles* inputs) {
    absl::StatusOr<harness::InputFiles> files =
        harness::ReadInputFiles(of, subgraph, options->invocations, paths);
    if (!files.ok()) return files.status();
    *inputs = *std::move(files);
    return absl::OkStatus();
  };
  if (options->followers.empty()) {
    return read(model, options->subgraph, args.input_paths, &options->inputs);
  }
  for (size_t i = 0; i < args.turns.size(); ++i) {
    const std::string& name = args.turns[i];
    harness::Follower* const follower =
        i == 0 ? nullptr : &options->followers[i - 1];
    const absl::Status status =
        follower == nullptr
            ? read(model, options->subgraph, FilesOf(name, args),
                   &options->inputs)
            : read(ModelOf(*follower, model), follower->subgraph,
                   FilesOf(name, args), &follower->inputs);
    if (!status.ok()) return AtPlace(name, status);
  }
  return absl::OkStatus();
}

void AddTurns(const RunReport& report, Answer* answer) {
  const RunArgs& args = *report.args;
  std::vector<const harness::RunResult*> results = {report.result};
  for (const harness::RunResult& follower : report.result->followers) {
    results.push_back(&follower);
  }
  size_t arena_bytes = 0;
  absl::Duration together;
  std::vector<std::vector<Value>> rows;
  for (size_t i = 0; i < results.size(); ++i) {
    arena_bytes = std::max(arena_bytes, results[i]->arena_bytes);
    together += MedianOf(results[i]->times);
    rows.push_back(RowOf(args.turns[i], *results[i]));
    if (args.memory) {
      rows.back().push_back(Data(MemoryJson(results[i]->memory)));
    }
  }
  answer->Add("lifetimes", "lifetimes",
              LifetimeRulesName(args.options.plan.lifetimes));
  answer->Add("arena_size", "arena", Size(arena_bytes));
  answer->Add("invocations", "invocations", args.options.invocations);
  answer->Say("time", Time(together));
  const bool has_models = args.models.size() > 1;
  std::vector<AnswerTable::Column> columns = {
      has_models ? "model=model" : "signature=signature",
      "strategy=strategy",
      "arena>arena_size",
      "lower bound>lower_bound",
      "=naive_size",
      "persistent>persistent_size",
      "state>state_bytes",
      "=copied_bytes",
      "=possible_copied_bytes",
      "=copies_avoided",
      "=run_micros",
      "=outputs"};
  if (args.memory) columns.emplace_back("=memory");
  answer->AddTable(TableOf(std::move(columns), std::move(rows)),
                   has_models ? "models" : "signatures");
  for (size_t i = 0; i < results.size(); ++i) {
    for (const harness::RunOutput& output : results[i]->outputs) {
      answer->SayLine(Phrase(args.turns[i], ": ", output.name, ": ",
                             output.dtype, " ", ShapeText(output.shape),
                             ", sha256 ", output.sha256));
    }
  }
  if (!args.memory) return;
  for (size_t i = 0; i < results.size(); ++i) {
    answer->AddHeading(args.turns[i]);
    answer->AddParagraph(Lines(results[i]->memory.Text()));
  }
}

}  // namespace stowage::cli
