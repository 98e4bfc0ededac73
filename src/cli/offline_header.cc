// SPDX-License-Identifier: Apache-2.0
// stowage offline header: a plan as a C header, for programs without metadata.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/cli/interruption.h"
#include "src/cli/offline_options.h"
#include "src/cli/options.h"
#include "src/cli/output_files.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"
#include "stowage/strategy.h"
#include "stowage/tflite/micro_trace.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_structure.h"
#include "stowage/tflite/offline_check.h"
#include "stowage/tflite/offline_plan.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kHeaderTimeLimit = absl::Seconds(10);

struct HeaderArgs {
  std::string model;
  std::string output;
  std::string name = "model";
  absl::optional<std::string> strategy;
  SearchArgs search;
};

// $name, $NAME and the like stand for what the plan has.
constexpr char kTemplate[] =
    R"(/* The memory plan of $model. Written by stowage offline header. */
#ifndef $NAME_PLAN_H_
#define $NAME_PLAN_H_

#include <stdint.h>

/* The model that the plan is for: its bytes and their 32-bit FNV-1a hash. */
#define $NAME_MODEL_BYTES $model_bytesu
#define $NAME_MODEL_HASH 0x$hashu

/* Bytes of the arena that tensors and scratch memory take, from its start,
 * which is aligned to $NAME_ALIGNMENT. */
#define $NAME_HEAD_BYTES $head_bytesu
#define $NAME_ALIGNMENT $alignmentu

/* In the place of an offset: the tensor is not in the head. */
#define $NAME_NO_OFFSET UINT32_MAX

/* Offsets in bytes, of the tensors of all subgraphs in turn. */
#define $NAME_TENSORS $tensorsu
static const uint32_t $name_tensor_offsets[$tensors_array] = {$tensor_offsets};

/* Offsets in bytes, of the scratch memory that operators ask for, in the order
 * in which they ask. */
#define $NAME_SCRATCH_BUFFERS $scratchu
static const uint32_t $name_scratch_offsets[$scratch_array] = {$scratch_offsets};

/* Does not compile if `arena`, an array, is too small for the head. */
#define $NAME_REQUIRE_ARENA(arena) \
  void $name_require_arena( \
      char (*is_large_enough)[sizeof(arena) >= $NAME_HEAD_BYTES ? 1 : -1])

/* Whether these bytes are the model that the plan is for. */
static inline int $name_is_model(const void* model, uint32_t bytes) {
  const uint8_t* byte = (const uint8_t*)model;
  uint32_t hash = 2166136261u;
  uint32_t i;
  if (bytes != $NAME_MODEL_BYTES) return 0;
  for (i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * 16777619u;
  return hash == $NAME_MODEL_HASH;
}

#endif /* $NAME_PLAN_H_ */
)";

// FNV-1a (Fowler, Noll, Vo), which a device computes in a few instructions.
uint32_t HashOf(absl::string_view bytes) {
  uint32_t hash = 2166136261U;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<uint8_t>(byte)) * 16777619U;
  }
  return hash;
}

// The values of an array in lines of eight. C has no empty array.
std::string Values(const std::vector<absl::optional<size_t>>& offsets,
                   const std::string& none) {
  if (offsets.empty()) return none;
  std::string text;
  for (size_t i = 0; i < offsets.size(); ++i) {
    absl::StrAppend(&text, i % 8 == 0 ? "\n    " : " ",
                    offsets[i] ? absl::StrCat(*offsets[i], "u") : none,
                    i + 1 == offsets.size() ? "" : ",");
  }
  return text;
}

struct Offsets {
  std::vector<absl::optional<size_t>> tensors;
  std::vector<absl::optional<size_t>> scratch;
};

Offsets OffsetsOf(const Model& model, const OfflineVerdict& verdict) {
  Offsets offsets;
  std::vector<size_t> first_tensor;
  size_t tensors = 0;
  for (const SubgraphSpec& graph : model.subgraphs()) {
    first_tensor.push_back(tensors);
    tensors += graph.tensors.size();
  }
  offsets.tensors.resize(tensors);
  for (const OfflineBuffer& buffer : verdict.buffers) {
    const MicroBuffer& micro = buffer.buffer;
    if (micro.tensor == kAbsent) {
      offsets.scratch.emplace_back(buffer.offset);
    } else {
      offsets.tensors[first_tensor[micro.subgraph] + micro.tensor] =
          buffer.offset;
    }
  }
  return offsets;
}

std::string HeaderOf(const HeaderArgs& args, const Model& model,
                     const OfflineVerdict& verdict) {
  const Offsets offsets = OffsetsOf(model, verdict);
  const std::string upper = absl::AsciiStrToUpper(args.name);
  const std::string none = absl::StrCat(upper, "_NO_OFFSET");
  const auto length = [](const auto& list) {
    return absl::StrCat(list.empty() ? 1 : list.size());
  };
  // The name of a file may end a comment.
  const std::string name =
      absl::StrReplaceAll(OneLine(model.name()), {{"*/", "* /"}});
  return absl::StrReplaceAll(
      kTemplate, {{"$model_bytes", absl::StrCat(model.bytes().size())},
                  {"$model", name},
                  {"$NAME", upper},
                  {"$name", args.name},
                  {"$hash", absl::StrFormat("%08x", HashOf(model.bytes()))},
                  {"$head_bytes", absl::StrCat(verdict.head_bytes.value_or(0))},
                  {"$alignment", absl::StrCat(kMicroAlignment)},
                  {"$tensors_array", length(offsets.tensors)},
                  {"$tensors", absl::StrCat(offsets.tensors.size())},
                  {"$tensor_offsets", Values(offsets.tensors, none)},
                  {"$scratch_array", length(offsets.scratch)},
                  {"$scratch_offsets", Values(offsets.scratch, none)},
                  {"$scratch", absl::StrCat(offsets.scratch.size())}});
}

// The plan of the model, or a new one.
absl::StatusOr<absl::optional<OfflinePlan>> PlanOf(const HeaderArgs& args,
                                                   const Model& model) {
  if (!args.strategy) {
    absl::StatusOr<absl::optional<OfflinePlan>> plan =
        ReadOfflinePlan(model.bytes(), model.name());
    if (!plan.ok() || plan->has_value()) return plan;
  }
  const std::string strategy = args.strategy.value_or("optimal");
  if (IsSearch(strategy)) BeginDelivery();
  absl::StatusOr<OfflinePlanning> planning = PlanOffline(
      model, strategy, SolveOptionsOf(args.search, kHeaderTimeLimit));
  if (!planning.ok()) return planning.status();
  return absl::optional<OfflinePlan>(std::move(planning->plan));
}

Outcome RunHeader(const HeaderArgs& args) {
  const absl::Status outputs =
      CheckOutputFiles({{"-o", args.output}}, {args.model});
  if (!outputs.ok()) return Misuse("offline header", outputs.message());
  const auto model = ReadModelStructure(args.model);
  if (!model.ok()) {
    return Failure(ExitCode::kBadInput, model.status().message());
  }
  const absl::StatusOr<absl::optional<OfflinePlan>> plan =
      PlanOf(args, **model);
  BeginDelivery();
  if (!plan.ok()) {
    return Failure(ExitCodeOf(plan.status()), plan.status().message());
  }
  const absl::StatusOr<OfflineVerdict> verdict =
      CheckOfflinePlan(**model, *plan);
  if (!verdict.ok()) {
    return Failure(ExitCode::kBadInput, verdict.status().message());
  }
  if (!verdict->violations.empty()) {
    return Failure(
        ExitCode::kRefuted,
        absl::StrCat((*model)->name(), ": its plan is not sound: ",
                     Describe(**model, *verdict, verdict->violations.front())));
  }
  return DeliverFile(args.output, HeaderOf(args, **model, *verdict),
                     absl::StrCat(OneLine((*model)->name()), ": head ",
                                  FormatBytes(*verdict->head_bytes), "\n"));
}

absl::Status CheckName(const std::string& name) {
  const bool is_name =
      !name.empty() && !absl::ascii_isdigit(static_cast<uint8_t>(name[0])) &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
          std::string::npos;
  if (is_name) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "'", name, "'; expected a C name of small letters, digits and _"));
}

}  // namespace

void AddOfflineHeader(CLI::App* offline, Action* action) {
  CLI::App* verb = offline->add_subcommand(
      "header", "The plan of a model as a C header: table, size and hash");
  auto args = std::make_shared<HeaderArgs>();
  AddOfflineModel(verb, &args->model);
  AddOfflineOutput(verb, "PLAN.h", "Write the header here", &args->output);
  AddValue(verb, "--name", "NAME",
           "What names in the header begin with; model if not given",
           [args](const std::string& name) {
             args->name = name;
             return CheckName(name);
           });
  AddValue(verb, "--strategy", "NAME",
           "Plan anew; if not given, the model's plan, or a new one by optimal",
           [args](const std::string& name) {
             args->strategy = name;
             return FindStrategy(name).status();
           });
  AddSearchOptions(verb, kHeaderTimeLimit, &args->search);
  verb->footer(
      "Example:\n"
      "  stowage offline header data/models/keyword_int8.tflite -o plan.h");
  verb->callback(
      [action, args] { *action = [args] { return RunHeader(*args); }; });
}

}  // namespace stowage::cli
