// SPDX-License-Identifier: Apache-2.0
#include "src/command/program_plan.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/text.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/programs/program_file.h"
#include "stowage/programs/program_problem.h"
#include "stowage/solution.h"
#include "stowage/tensor_size.h"

namespace stowage::cli {
namespace {

// Returns the program of a source as text, without its options and its plan.
// Two programs are equal if their texts are equal.
std::string TextOf(const ProgramSource& source) {
  ProgramFile file;
  file.program = source.program;
  return FormatProgramJson(file);
}

}  // namespace

void AddCopies(CLI::App* verb, InputOptions* options) {
  LimitTo({InputKind::kProgram, InputKind::kModel},
          AddWord(verb, "--copies", {"made", "chosen", "none"},
                  "Which copies between functions are made: all (made), "
                  "those without which the arena would be larger (chosen, the "
                  "default), or only those that cannot be left out (none)",
                  [options](size_t k) {
                    options->copies = k == 0   ? ProgramCopies::kMade
                                      : k == 1 ? ProgramCopies::kChosen
                                               : ProgramCopies::kNone;
                  }),
          options, [options](const SeenInput& input) {
            return input.kind == InputKind::kModel &&
                           !options->program.IsGiven() &&
                           !*options->program.has_nested
                       ? ", whose functions are not planned together; expected "
                         "a program, or --calls, --state, --state-io, "
                         "--signatures or --together"
                       : "";
          });
}

void AddProgramOf(const ProblemSpec& problem, Answer* answer) {
  if (problem.labels.program == nullptr) return;
  const ProgramSource& source = *problem.labels.program;
  answer->Add("functions", "program", source.program.functions.size(),
              Phrase(Count(source.program.functions.size(), "function"), ", ",
                     Count(source.points.points.size(), "point")));
  answer->AddData("points", source.points.points.size());
  if (source.program.entries.size() > 1) {
    answer->Add(
        "entries", "entries", source.program.entries.size(),
        Phrase(source.program.entries.size(), ", of which one runs at a time"));
  }
}

void AddStateOf(const ProblemSpec& problem, Answer* answer) {
  if (problem.labels.program == nullptr) return;
  const ProgramSource& source = *problem.labels.program;
  size_t state = 0;
  for (const ProgramVariable& variable : source.program.variables) {
    state = CheckedAdd(state, variable.size).value_or(state);
  }
  if (state > 0) {
    answer->Add("state_bytes", "state", state,
                Phrase(Size(state), " of variables, beside the arena"));
  }
  if (state > 0 || !source.program.carried.empty()) {
    answer->AddData("state", source.options.state_in_place ? "auto" : "copy");
  }
}

void AddCopiesOf(const Problem& problem, const Solution& solution,
                 Answer* answer) {
  if (problem.labels().program == nullptr || solution.offsets() == nullptr) {
    return;
  }
  const ProgramSource& source = *problem.labels().program;
  const auto offsets = SlotOffsets(source, problem.alignments().Of(0),
                                   solution.offsets()->offsets);
  if (!offsets.ok()) return;
  const absl::StatusOr<CopiedBytes> copied = CountCopies(source, *offsets);
  if (!copied.ok()) return;
  answer->AddData("copies",
                  std::string(ProgramCopiesName(source.options.copies)));
  answer->Add("copied_bytes", "copied", copied->made,
              Phrase(Size(copied->made), " in one pass, of ",
                     Size(copied->possible), " possible"));
  answer->AddData("possible_bytes", copied->possible);
}

absl::Status ExpandAsPlanned(const NamedFile& plan, NamedFile* asked) {
  ProblemSpec& problem = asked->file.problem;
  if (problem.labels.program == nullptr ||
      plan.file.problem.labels.program == nullptr) {
    return absl::OkStatus();
  }
  const ProgramSource& source = *problem.labels.program;
  const ProgramSource& planned = *plan.file.problem.labels.program;
  if (TextOf(source) != TextOf(planned)) {
    return absl::InvalidArgumentError(
        absl::StrCat(InputName(plan.path),
                     ": is a plan for another program; "
                     "expected one for ",
                     InputName(asked->path)));
  }
  ProgramFile file = ProgramFileOf(plan.file);
  file.options.alignment =
      problem.alignments.empty() ? problem.alignment : problem.alignments[0];
  file.options.capacity = problem.capacity;
  absl::StatusOr<ProblemFile> expanded = ProblemFileOf(std::move(file));
  if (!expanded.ok()) return AboutInput(plan.path, {}, expanded.status());
  asked->file = *std::move(expanded);
  return absl::OkStatus();
}

}  // namespace stowage::cli
