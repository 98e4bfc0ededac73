// SPDX-License-Identifier: Apache-2.0
#include "src/command/run_signatures.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/command/answer.h"
#include "src/command/json.h"
#include "src/command/run_options.h"
#include "src/command/run_report.h"
#include "src/command/shape_options.h"
#include "src/command/text.h"
#include "stowage/base/text.h"
#include "stowage/error_payload.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/run_model.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {
namespace {

// Returns the signature to which an input belongs: the longest of `signatures`
// before a colon. Empty if there is none.
std::string SignatureOfInput(absl::string_view input,
                             const std::vector<std::string>& signatures) {
  std::string longest;
  for (const std::string& key : signatures) {
    if (key.size() > longest.size() &&
        absl::StartsWith(input, absl::StrCat(key, ":"))) {
      longest = key;
    }
  }
  return longest;
}

// Returns the files of the inputs of a signature, of which there are several. A
// name may have a colon, as may a signature.
std::map<std::string, std::string> FilesOf(const std::string& signature,
                                           const RunArgs& args) {
  std::map<std::string, std::string> paths;
  for (const auto& [name, path] : args.input_paths) {
    if (SignatureOfInput(name, args.signatures) != signature) continue;
    paths[name.substr(signature.size() + 1)] = path;
  }
  return paths;
}

absl::Status CheckInputs(const RunArgs& args) {
  if (args.signatures.size() < 2) return absl::OkStatus();
  for (const auto& [name, path] : args.input_paths) {
    if (!SignatureOfInput(name, args.signatures).empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--input ", name, "=", path, ": with several signatures; expected ",
        "SIGNATURE:NAME=FILE, with one of ",
        absl::StrJoin(args.signatures, ", ")));
  }
  return absl::OkStatus();
}

// Returns the fields of one signature.
std::vector<Value> RowOf(const std::string& signature,
                         const harness::RunResult& result) {
  const harness::CallCopies calls =
      result.calls.value_or(harness::CallCopies());
  return {signature,
          result.strategy,
          result.arena_bytes,
          result.lower_bound,
          Data(result.naive_size),
          result.persistent_bytes,
          calls.state_bytes,
          Data(calls.copied_bytes),
          Data(calls.possible_bytes),
          Data(result.copies_avoided),
          TimesOf(result),
          Data(OutputsJson(result))};
}

}  // namespace

absl::Status CheckSignatures(const RunArgs& args) {
  if (!args.signatures.empty() && HasParameters(args.shapes.open)) {
    return absl::InvalidArgumentError(
        "--signature: with parameters in --shape; expected --subgraph");
  }
  if (args.signatures.size() < 2) return absl::OkStatus();
  const std::pair<const char*, bool> others[] = {
      {"--shape", !args.shapes.shapes.empty()},
      {"--dump", !args.options.dump.empty()},
      {"--delegate", !args.delegates.delegates.empty()},
      {"--perfetto", !args.events.path.empty()}};
  for (const auto& [name, is_given] : others) {
    if (!is_given) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": with several signatures; expected one --signature"));
  }
  return CheckInputs(args);
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
      args->options.followers.push_back({*subgraph, {}});
    }
  }
  return absl::OkStatus();
}

absl::Status ReadInputs(const RunArgs& args, const Model& model,
                        harness::RunOptions* options) {
  const auto read = [&](size_t subgraph, const auto& paths,
                        harness::InputFiles* inputs) {
    absl::StatusOr<harness::InputFiles> files =
        harness::ReadInputFiles(model, subgraph, options->invocations, paths);
    if (files.ok()) *inputs = *std::move(files);
    return files.status();
  };
  if (options->followers.empty()) {
    return read(options->subgraph, args.input_paths, &options->inputs);
  }
  for (size_t i = 0; i < args.signatures.size(); ++i) {
    const std::string& key = args.signatures[i];
    harness::Follower* const follower =
        i == 0 ? nullptr : &options->followers[i - 1];
    const absl::Status status =
        follower == nullptr
            ? read(options->subgraph, FilesOf(key, args), &options->inputs)
            : read(follower->subgraph, FilesOf(key, args), &follower->inputs);
    if (!status.ok()) {
      return AtPlace(absl::StrCat("signature ", Quoted(key)), status);
    }
  }
  return absl::OkStatus();
}

void AddSignatures(const RunReport& report, Answer* answer) {
  const RunArgs& args = *report.args;
  std::vector<const harness::RunResult*> results = {report.result};
  for (const harness::RunResult& follower : report.result->followers) {
    results.push_back(&follower);
  }
  size_t arena_bytes = 0;
  std::vector<std::vector<Value>> rows;
  for (size_t i = 0; i < results.size(); ++i) {
    arena_bytes = std::max(arena_bytes, results[i]->arena_bytes);
    rows.push_back(RowOf(args.signatures[i], *results[i]));
    if (args.memory) {
      rows.back().push_back(Data(MemoryJson(results[i]->memory)));
    }
  }
  answer->Add("lifetimes", "lifetimes",
              LifetimeRulesName(args.options.plan.lifetimes));
  answer->Add("arena_size", "arena", Size(arena_bytes));
  answer->Add("invocations", "invocations", args.options.invocations);
  std::vector<AnswerTable::Column> columns = {"signature=signature",
                                              "strategy=strategy",
                                              "arena>arena_size",
                                              "lower bound>lower_bound",
                                              "=naive_size",
                                              "persistent>persistent_size",
                                              "state>state_bytes",
                                              "=copied_bytes",
                                              "=possible_copied_bytes",
                                              "=copies_avoided",
                                              "time>run_micros",
                                              "=outputs"};
  if (args.memory) columns.emplace_back("=memory");
  answer->AddTable(TableOf(std::move(columns), std::move(rows)), "signatures");
  for (size_t i = 0; i < results.size(); ++i) {
    for (const harness::RunOutput& output : results[i]->outputs) {
      answer->SayLine(Phrase(args.signatures[i], ": ", output.name, ": ",
                             output.dtype, " ", ShapeText(output.shape),
                             ", sha256 ", output.sha256));
    }
  }
  if (!args.memory) return;
  for (size_t i = 0; i < results.size(); ++i) {
    answer->AddHeading(args.signatures[i]);
    answer->AddParagraph(Lines(results[i]->memory.Text()));
  }
}

}  // namespace stowage::cli
