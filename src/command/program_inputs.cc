// SPDX-License-Identifier: Apache-2.0
#include "src/command/program_inputs.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/inputs.h"
#include "src/command/notes.h"
#include "src/command/option_limits.h"
#include "src/command/program_options.h"
#include "src/command/shape_options.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/operator.h"
#include "stowage/io/input_file.h"
#include "stowage/io/problem_file.h"
#include "stowage/programs/combine.h"
#include "stowage/programs/entry_names.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_file.h"
#include "stowage/programs/program_problem.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflite/program_of_model.h"

namespace stowage::cli {
namespace {

// A program, and the names of the inputs and outputs of its entries.
struct ProgramInput {
  ProgramFile file;
  std::vector<EntryNames> names;
};

// Returns the tensors with open extents in the given subgraphs.
OpenShapes OpenShapesOf(const Model& model,
                        const std::vector<size_t>& subgraphs) {
  OpenShapes open;
  std::vector<std::string> inputs;
  for (const size_t index : subgraphs) {
    const SubgraphSpec& graph = model.subgraphs()[index];
    std::vector<size_t> tensors(graph.tensors.size());
    std::iota(tensors.begin(), tensors.end(), 0);
    AddOpenShapes(
        absl::StrCat("subgraph ", index), graph, tensors,
        [&](size_t t) { return HasOpenExtent(graph.tensors[t]); }, &open);
    // Keeps only the inputs of the first subgraph, since the inputs of the
    // other subgraphs come from operators.
    if (index == subgraphs.front()) inputs = std::move(open.inputs);
  }
  open.inputs = std::move(inputs);
  return open;
}

// Replaces the program of a model by the program that `stowage run` plans.
absl::Status NestCalls(const Model& model, const InputOptions& options,
                       ProgramInput* input) {
  absl::StatusOr<harness::CpuProgram> nested = harness::CpuProgramOf(
      model, harness::BuiltinOperators(), options.model, options.shadows);
  if (!nested.ok()) return nested.status();
  ModelTrace computed;
  computed.computed_operators = nested->computed_operators;
  AddNote(model.name(), DescribeComputed(computed));
  input->file.program = std::move(nested->program);
  // The program of a run may have an additional entry, which represents what
  // happens between two invocations. This entry has no arguments and thus no
  // names.
  input->names.resize(input->file.program.entries.size());
  return absl::OkStatus();
}

absl::StatusOr<ProgramInput> ParseModelProgram(absl::string_view bytes,
                                               absl::string_view name,
                                               const InputOptions& options) {
  absl::StatusOr<std::unique_ptr<const Model>> model =
      Model::Parse(bytes, name);
  if (!model.ok()) return model.status();
  model = WithGivenShapes(*std::move(model), options.model.subgraph,
                          options.shadows.shapes);
  if (!model.ok()) return model.status();
  ProgramOfModelOptions asked;
  asked.subgraph = options.model.subgraph;
  asked.enters_signatures = options.program.enters_signatures;
  asked.tensor_alignment = options.model.tensor_alignment;
  asked.keeps_inputs = options.model.io_lifetime.value_or(IoLifetime::kKeep) ==
                       IoLifetime::kKeep;
  absl::StatusOr<ModelProgram> program = ProgramOfModel(**model, asked);
  if (!program.ok()) return program.status();
  absl::Status open = NoteOpenShapes(std::string(name),
                                     OpenShapesOf(**model, program->subgraphs),
                                     options.is_strict);
  if (!open.ok()) return open;
  ProgramInput input;
  input.file.program = std::move(program->program);
  input.names = std::move(program->names);
  if (options.program.nests_calls) {
    absl::Status nested = NestCalls(**model, options, &input);
    if (!nested.ok()) return nested;
  }
  return input;
}

absl::StatusOr<ProgramInput> ParseProgram(absl::string_view bytes,
                                          absl::string_view name) {
  absl::StatusOr<ProgramFile> file = ParseProgramJson(bytes, name);
  if (!file.ok()) return file.status();
  ProgramInput input;
  input.names = EntryNamesOf(file->program);
  input.file = *std::move(file);
  return input;
}

// Changes a program as the options request. Also removes the plan from the
// program's file, since it is not a plan for the changed program.
absl::Status ApplyAsk(const InputOptions& options, ProgramInput* input) {
  const ProgramAsk& ask = options.program;
  ProgramFile& file = input->file;
  for (const std::string& text : ask.carried) {
    absl::Status status = AddCarriedOutputs(text, input->names, &file.program);
    if (!status.ok()) {
      return absl::Status(status.code(),
                          absl::StrCat("--state-io ", status.message()));
    }
  }
  if (ask.state_in_place) file.options.state_in_place = *ask.state_in_place;
  if (options.copies) file.options.copies = *options.copies;
  file.offsets.clear();
  file.scratch.clear();
  return CheckProgram(file.program);
}

absl::StatusOr<ProblemFile> Finish(absl::StatusOr<ProgramInput> input,
                                   absl::string_view name,
                                   const InputOptions& options) {
  if (!input.ok()) return input.status();
  absl::Status status = ApplyAsk(options, &*input);
  if (status.ok()) {
    absl::StatusOr<ProblemFile> file = ProblemFileOf(std::move(input->file));
    if (file.ok()) return file;
    status = file.status();
  }
  return absl::Status(status.code(),
                      absl::StrCat(name, ": ", status.message()));
}

absl::StatusOr<ProgramInput> ReadOne(const std::string& path,
                                     const InputOptions& options,
                                     std::vector<SeenInput>* seen) {
  const absl::StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  const absl::StatusOr<absl::string_view> bytes = (*file)->Contents();
  if (!bytes.ok()) return bytes.status();
  if (ModelFormat().detect(*bytes, path)) {
    seen->push_back(SeenInputOf(path, "tflite"));
    return ParseModelProgram(*bytes, InputName(path), options);
  }
  if (ProgramFormat().detect(*bytes, path)) {
    seen->push_back(SeenInputOf(path, "program"));
    return ParseProgram(*bytes, InputName(path));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(InputName(path),
                   ": is neither a model nor a program; expected one of these "
                   "with --together"));
}

// Combines several programs into one.
absl::StatusOr<Program> Combine(absl::Span<const NamedProgram> programs,
                                absl::Span<const EntryNames> names,
                                const ProgramAsk& ask) {
  if (*ask.together == Together::kInterleave) return Interleaved(programs);
  std::vector<HandOver> hand_overs;
  for (const std::string& text : ask.hand_overs) {
    const absl::StatusOr<HandOver> found = FindHandOver(text, programs, names);
    if (!found.ok()) {
      return absl::Status(found.status().code(),
                          absl::StrCat("--hand ", found.status().message()));
    }
    hand_overs.push_back(*found);
  }
  return InSequence(programs, hand_overs);
}

}  // namespace

absl::StatusOr<absl::optional<ProblemFile>> ReadNested(
    absl::string_view bytes, absl::string_view name,
    const InputOptions& options) {
  if (!options.program.nests_by_default) return {absl::nullopt};
  const absl::StatusOr<std::unique_ptr<const Model>> model =
      Model::Parse(bytes, name);
  if (!model.ok() || model->get()->subgraphs().empty()) return {absl::nullopt};
  const std::vector<OperatorSpec>& operators =
      model->get()->subgraphs()[0].operators;
  if (std::none_of(operators.begin(), operators.end(), PassesArguments)) {
    return {absl::nullopt};
  }
  InputOptions nested = options;
  nested.program.nests_calls = true;
  absl::StatusOr<ProblemFile> file =
      Finish(ParseModelProgram(bytes, name, nested), name, nested);
  // If the calls of a model can be prepared only during the run, the model is
  // not planned as a program.
  if (absl::IsFailedPrecondition(file.status())) return {absl::nullopt};
  if (!file.ok()) return file.status();
  *options.program.has_nested = true;
  return {*std::move(file)};
}

std::string NameOfProgram(const std::string& path,
                          std::set<std::string>* names) {
  const std::string stem =
      path == "-" ? "stdin" : std::filesystem::path(path).stem().string();
  std::string name = stem;
  for (size_t i = 2; !names->insert(name).second; ++i) {
    name = absl::StrCat(stem, "#", i);
  }
  return name;
}

std::vector<FileFormat> ProgramFormats(const InputOptions& options) {
  FileFormat model = ModelFormat();
  model.parse = [options](absl::string_view bytes, absl::string_view name) {
    return Finish(ParseModelProgram(bytes, name, options), name, options);
  };
  FileFormat program = ProgramFormat();
  program.parse = [options](absl::string_view bytes, absl::string_view name) {
    return Finish(ParseProgram(bytes, name), name, options);
  };
  return {std::move(model), std::move(program)};
}

absl::StatusOr<ProblemFile> ReadTogether(absl::Span<const std::string> paths,
                                         const InputOptions& options,
                                         std::vector<SeenInput>* seen) {
  std::vector<NamedProgram> programs;
  std::vector<EntryNames> names;
  std::set<std::string> used;
  ProgramInput result;
  for (const std::string& path : paths) {
    absl::StatusOr<ProgramInput> input = ReadOne(path, options, seen);
    if (!input.ok()) return input.status();
    const std::string name = NameOfProgram(path, &used);
    Program& program = input->file.program;
    // Different models do not share variables, so their variables must have
    // different names.
    if (seen->back().kind == InputKind::kModel) {
      for (ProgramVariable& variable : program.variables) {
        variable.id = absl::StrCat(name, "/", variable.id);
      }
    }
    ProgramOptions& asked = result.file.options;
    asked.alignment = std::max(asked.alignment, input->file.options.alignment);
    programs.push_back({name, std::move(program)});
    names.push_back(std::move(input->names.front()));
  }
  absl::StatusOr<Program> combined = Combine(programs, names, options.program);
  if (!combined.ok()) return combined.status();
  result.file.program = *std::move(combined);
  return Finish(std::move(result), "--together", options);
}

}  // namespace stowage::cli
