// SPDX-License-Identifier: Apache-2.0
// The verb `stowage offline write`: plans a model and writes the plan into it.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/interruption.h"
#include "src/command/notes.h"
#include "src/command/number_list.h"
#include "src/command/offline_options.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "src/command/shape_options.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/solution.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kWriteTimeLimit = absl::Seconds(10);

struct WriteArgs {
  std::string model;
  std::string output;
  std::string strategy = "optimal";
  std::vector<NumberRange> partial;  // empty for all tensors
  IoLifetime io_lifetime = IoLifetime::kUse;
  SearchArgs search;
  Format format = Format::kText;
  ShapeArgs shapes;  // only is_strict is set
};

// Returns the tensors to which the plan is limited, or nullopt if the plan
// covers all tensors.
absl::StatusOr<absl::optional<std::vector<size_t>>> ChosenTensors(
    const WriteArgs& args, const Model& model) {
  using Chosen = absl::optional<std::vector<size_t>>;
  if (args.partial.empty()) return Chosen();
  absl::StatusOr<std::vector<size_t>> numbers =
      NumbersOf(args.partial, model.tensor_count());
  if (!numbers.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        model.name(), ": --partial: ", numbers.status().message()));
  }
  return Chosen(*std::move(numbers));
}

size_t GivenCount(const OfflinePlan& plan) {
  size_t count = 0;
  for (const int32_t offset : plan.offsets) {
    if (offset != kPlacedOnDevice) ++count;
  }
  return count;
}

Answer AnswerOf(const WriteArgs& args, const OfflinePlanning& planning,
                size_t bytes, size_t old_bytes) {
  const OfflinePlan& plan = planning.plan;
  const bool is_planned = planning.head_bytes == planning.solution.total_size;
  const Value status = SolutionStatusName(
      is_planned ? planning.solution.status : SolutionStatus::kFeasible);
  Answer answer;
  answer.SayLine(
      Phrase(InputName(args.model), ": offsets for ", GivenCount(plan), " of ",
             Count(plan.offsets.size(), "tensor"), " by ", args.strategy));
  answer.AddData("input", args.model);
  answer.AddData("strategy", args.strategy);
  answer.AddData("tensors", plan.offsets.size());
  answer.AddData("given", GivenCount(plan));
  answer.AddData("offsets", plan.offsets);
  answer.Add("head_bytes", "head", Size(planning.head_bytes));
  answer.Add("lower_bound", "lower bound", Size(planning.solution.lower_bound));
  answer.AddData("kept_tensors", planning.kept_tensors);
  answer.Add("status", "status", status.json,
             Phrase(status, is_planned ? ""
                                       : ": what the device places takes more "
                                         "than planned"));
  answer.Add("file_bytes", "file", bytes,
             Phrase(Size(bytes), ", ", bytes - old_bytes, " more than before"));
  answer.AddData("added_bytes", bytes - old_bytes);
  return answer;
}

absl::Status CheckArgs(const WriteArgs& args) {
  if (absl::Status s = CheckOneDocument(args.output, args.format); !s.ok()) {
    return s;
  }
  if (absl::Status s = CheckSearchArgs(args.search, {args.strategy}); !s.ok()) {
    return s;
  }
  return CheckOutputFiles({{"-o", args.output}}, {args.model});
}

Outcome RunWrite(const WriteArgs& args) {
  if (absl::Status s = CheckArgs(args); !s.ok()) {
    return Misuse("offline write", s.message());
  }
  const auto model = ReadDeviceModel(args.model, args.shapes, false);
  if (!model.ok()) return BadInput(model.status());
  const auto chosen = ChosenTensors(args, **model);
  if (!chosen.ok()) return BadInput(chosen.status());
  // From here on, an interrupt must not terminate the command, because the
  // search stops soon after an interrupt, and its best plan is then the answer.
  if (IsSearch(args.strategy)) BeginDelivery();
  const absl::StatusOr<OfflinePlanning> planning = PlanOffline(
      **model, args.strategy, SolveOptionsOf(args.search, kWriteTimeLimit),
      *chosen, args.io_lifetime);
  BeginDelivery();
  if (!planning.ok()) return Failure(planning.status());
  AddNote(args.model, DescribeKept(planning->kept_tensors));
  const absl::string_view old = (*model)->bytes();
  absl::StatusOr<std::string> file =
      AddOfflinePlan(old, (*model)->name(), planning->plan);
  if (!file.ok()) return BadInput(file.status());
  const size_t bytes = file->size();
  return DeliverFile(args.output, *std::move(file),
                     AnswerOf(args, *planning, bytes, old.size()), args.format);
}

}  // namespace

void AddOfflineWrite(CLI::App* offline, Action* action) {
  CLI::App* verb = offline->add_subcommand(
      "write", "Plan a model, and write the plan into it");
  auto args = std::make_shared<WriteArgs>();
  AddModel(verb, &args->model);
  AddOfflineOutput(verb, "OUT.tflite",
                   "Write the model with its plan here: new metadata, then the "
                   "unchanged bytes of MODEL",
                   &args->output);
  AddParsed(verb, "--strategy", "NAME",
            "Strategy that makes the plan, see stowage list (default optimal)",
            ParseStrategy, &args->strategy);
  AddParsed(verb, "--partial", "LIST",
            "Write offsets for these tensors only, as in 0,3,5-9, numbered on "
            "from one subgraph to the next; the device places the others",
            ParseNumberList, &args->partial);
  AddStrict(verb, &args->shapes.is_strict);
  AddHeldEnds(verb, &args->io_lifetime);
  AddSearchOptions(verb, kWriteTimeLimit, &args->search);
  AddFormat(verb, &args->format);
  verb->footer(
      "Example:\n"
      "  stowage offline write data/models/keyword_int8.tflite -o out.tflite");
  verb->callback(
      [action, args] { *action = [args] { return RunWrite(*args); }; });
}

}  // namespace stowage::cli
