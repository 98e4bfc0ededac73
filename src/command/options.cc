// SPDX-License-Identifier: Apache-2.0
#include "src/command/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "src/command/dynamic_inputs.h"
#include "src/command/option_limits.h"
#include "src/command/output_files.h"
#include "src/command/shape_options.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/shadow.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/task_order.h"
#include "stowage/tensor_size.h"

namespace stowage::cli {
namespace {

absl::Status Expected(absl::string_view what, absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "'; expected ", what));
}

void ThrowIfWrong(const std::string& name, const absl::Status& status) {
  if (status.ok()) return;
  throw CLI::ValidationError(name, std::string(status.message()));
}

// Returns "with --lifetimes cpu, whose rules `what`; expected `expected`".
std::string WithRules(const InputOptions& options, absl::string_view what,
                      absl::string_view expected) {
  return absl::StrCat("with --lifetimes ", LifetimeRulesName(options.lifetimes),
                      ", whose rules ", what, "; expected ", expected);
}

std::string WhyNoOffline(const InputOptions& options) {
  if (options.lifetimes == LifetimeRules::kMicro) return "";
  return WithRules(options, "ignore plans in models", "--lifetimes micro");
}

std::string WhyNoIncludeIo(const InputOptions& options) {
  if (options.lifetimes == LifetimeRules::kPlain) return "";
  return WithRules(options, "always have inputs and outputs",
                   "--lifetimes plain");
}

std::string WhyNoIoLifetime(const InputOptions& options) {
  if (options.lifetimes != LifetimeRules::kPlain || options.model.include_io) {
    return "";
  }
  return WithRules(options, "leave inputs out",
                   "--include-io, or --lifetimes cpu");
}

}  // namespace

CLI::Option* LimitTo(std::vector<InputKind> kinds, CLI::Option* option,
                     InputOptions* options, WhyIdle why_idle) {
  option->group(HeadingFor(kinds));
  return LimitTo(std::move(kinds), option, &options->limits,
                 std::move(why_idle));
}

std::string WhyNoSharing(const InputOptions& options) {
  if (options.lifetimes == LifetimeRules::kCpu) return "";
  return WithRules(options, "share nothing in place", "--lifetimes cpu");
}

absl::StatusOr<uint64_t> ParseNumber(absl::string_view text) {
  uint64_t number = 0;
  const bool digits =
      std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  if (!digits || !absl::SimpleAtoi(text, &number)) {
    return Expected("a whole number below 2^64", text);
  }
  return number;
}

absl::StatusOr<size_t> ParseSize(absl::string_view text) {
  absl::string_view digits = text;
  size_t unit = 1;
  if (absl::ConsumeSuffix(&digits, "KiB")) {
    unit = size_t{1} << 10;
  } else if (absl::ConsumeSuffix(&digits, "MiB")) {
    unit = size_t{1} << 20;
  } else if (absl::ConsumeSuffix(&digits, "GiB")) {
    unit = size_t{1} << 30;
  }
  const absl::StatusOr<uint64_t> number = ParseNumber(digits);
  const absl::optional<size_t> size =
      number.ok() ? CheckedMultiply(*number, unit) : absl::nullopt;
  if (!size) {
    return Expected("a size below 2^64 such as 4096, 4KiB, 64MiB or 2GiB",
                    text);
  }
  return *size;
}

absl::StatusOr<uint64_t> ParsePositive(absl::string_view text) {
  absl::StatusOr<uint64_t> number = ParseNumber(text);
  if (!number.ok() || *number > 0) return number;
  return Expected("at least 1", text);
}

absl::StatusOr<double> ParseTolerance(absl::string_view text) {
  double value = 0;
  // Rejects infinity, since JSON cannot represent it.
  if (!absl::SimpleAtod(text, &value) || !(value >= 0) ||
      !std::isfinite(value)) {
    return Expected("a finite number of 0 or more", text);
  }
  return value;
}

absl::StatusOr<size_t> ParseAlignment(absl::string_view text) {
  absl::StatusOr<size_t> size = ParseSize(text);
  if (!size.ok() || !IsValidAlignment(*size)) {
    return Expected("a power of two such as 64 or 4KiB", text);
  }
  return size;
}

absl::StatusOr<absl::Duration> ParseTime(absl::string_view text) {
  absl::Duration time;
  if (!absl::ParseDuration(text, &time) || time < absl::ZeroDuration() ||
      time == absl::InfiniteDuration()) {
    return Expected("a time such as 500ms, 10s or 2m", text);
  }
  return time;
}

absl::StatusOr<std::string> ParseOutputFile(absl::string_view text) {
  std::string path(text);
  if (path.empty() || path == "-" || IsStandardOutput(path)) {
    return Expected("the name of a file", text);
  }
  return path;
}

absl::StatusOr<std::string> ParseStrategy(absl::string_view text) {
  const absl::Status known = FindStrategy(text).status();
  if (!known.ok()) return known;
  return std::string(text);
}

absl::StatusOr<std::vector<std::string>> ParseStrategies(
    absl::string_view text) {
  std::vector<std::string> names;
  for (const absl::string_view name : absl::StrSplit(text, ',')) {
    absl::StatusOr<std::string> strategy = ParseStrategy(name);
    if (!strategy.ok()) return strategy.status();
    names.push_back(*std::move(strategy));
  }
  return names;
}

CLI::Option* AddValue(
    CLI::App* verb, const std::string& names, const std::string& example,
    const std::string& help,
    std::function<absl::Status(const std::string& value)> read) {
  const std::string name = names.substr(names.rfind(',') + 1);
  return verb
      ->add_option_function<std::string>(
          names,
          [name, read = std::move(read)](const std::string& value) {
            ThrowIfWrong(name, read(value));
          },
          help)
      ->type_name(example);
}

CLI::Option* AddRepeated(
    CLI::App* verb, const std::string& name, const std::string& example,
    const std::string& help,
    std::function<absl::Status(const std::string& value)> read) {
  // AddValue cannot be used here, because it reads only the first of several
  // values.
  return verb
      ->add_option_function<std::vector<std::string>>(
          name,
          [name, read = std::move(read)](const std::vector<std::string>& all) {
            for (const std::string& value : all) {
              ThrowIfWrong(name, read(value));
            }
          },
          help)
      ->type_name(example)
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
}

CLI::Option* AddWord(CLI::App* verb, const std::string& name,
                     const std::vector<std::string>& words,
                     const std::string& help,
                     std::function<void(size_t index)> choose) {
  return AddValue(
      verb, name, absl::StrJoin(words, "|"), help,
      [words, choose = std::move(choose)](const std::string& value) {
        const auto found = absl::c_find(words, value);
        if (found == words.end()) {
          const auto last = words.end() - 1;
          return Expected(absl::StrCat(absl::StrJoin(words.begin(), last, ", "),
                                       words.size() > 1 ? " or " : "", *last),
                          value);
        }
        choose(static_cast<size_t>(found - words.begin()));
        return absl::OkStatus();
      });
}

CLI::Option* AddTexts(CLI::App* verb, const std::string& name,
                      const std::string& example, const std::string& help,
                      std::vector<std::string>* texts) {
  return AddRepeated(verb, name, example, help,
                     [texts](const std::string& text) {
                       texts->push_back(text);
                       return absl::OkStatus();
                     });
}

void AddModel(CLI::App* verb, std::string* model) {
  AddInput(verb, "MODEL", model, "A .tflite model; - for standard input");
}

CLI::Option* AddText(CLI::App* verb, const std::string& name,
                     const std::string& example, const std::string& help,
                     std::string* text) {
  return AddValue(verb, name, example, help, [text](const std::string& value) {
    *text = value;
    return absl::OkStatus();
  });
}

void AddOutput(CLI::App* verb, const std::string& example,
               const std::string& help, std::string* output) {
  AddValue(verb, "-o,--output", example, help,
           [output](const std::string& path) {
             // With `-o "$FILE"`, the shell passes an empty value if FILE is
             // not set.
             if (path.empty()) return Expected("the name of a file", path);
             *output = IsStandardOutput(path) ? "-" : path;
             return absl::OkStatus();
           });
}

void AddBits(CLI::App* verb, MicroWord* word) {
  AddChoice(verb, "--bits", {{"32", MicroWord::k32}, {"64", MicroWord::k64}},
            "Bits of the device's pointers: 32 (the default, with the ABI of "
            "Arm's embedded compilers) or 64",
            word);
}

void AddFormat(CLI::App* verb, Format* format,
               const std::vector<std::string>& formats) {
  static const auto* const known =
      new std::map<std::string, Format>({{"text", Format::kText},
                                         {"json", Format::kJson},
                                         {"csv", Format::kCsv},
                                         {"markdown", Format::kMarkdown},
                                         {"html", Format::kHtml}});
  const auto has = [&formats](const char* name) {
    return absl::c_linear_search(formats, name);
  };
  AddWord(
      verb, "--format", formats,
      absl::StrCat(
          "Format of the answer (default text); json: one document on standard "
          "output",
          has("markdown") ? "; markdown: for a pull request" : "",
          has("html") ? "; html: a page with a table that can be sorted" : ""),
      [format, formats](size_t k) { *format = known->at(formats[k]); });
}

absl::Status CheckOneDocument(const std::string& output, Format format) {
  if (output != "-" || format != Format::kJson) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "-o: '-' is standard output, which --format json needs; expected the "
      "name of a file");
}

void AddKind(CLI::App* verb, PlanKind* kind) {
  AddChoice(
      verb, "--kind",
      {{"offsets", PlanKind::kOffsets}, {"objects", PlanKind::kObjects}},
      "What to plan: offsets in one arena (the default) or shared objects",
      kind);
}

void AddKinds(CLI::App* verb, std::vector<PlanKind>* kinds) {
  AddChoice(verb, "--kind",
            {{"offsets", {PlanKind::kOffsets}},
             {"objects", {PlanKind::kObjects}},
             {"both", {PlanKind::kOffsets, PlanKind::kObjects}}},
            "What to plan: offsets in one arena (the default), shared objects, "
            "or both",
            kinds);
}

void AddAlignment(CLI::App* verb, absl::optional<size_t>* alignment) {
  AddParsed(
      verb, "--alignment", "SIZE",
      "Align every offset to this power of two, instead of as the trace's "
      "column alignment says; shared objects have no offsets to align",
      ParseAlignment, alignment);
}

absl::Status CheckAlignment(absl::optional<size_t> alignment,
                            absl::Span<const PlanKind> kinds) {
  const bool has_offsets =
      std::find(kinds.begin(), kinds.end(), PlanKind::kOffsets) != kinds.end();
  if (!alignment || has_offsets) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--alignment: has no effect on shared objects, which have no offset; "
      "expected --kind offsets");
}

CLI::Option* AddLifetimes(CLI::App* verb, const std::string& text,
                          LifetimeRules* rules) {
  return AddChoice(verb, "--lifetimes",
                   {{"plain", LifetimeRules::kPlain},
                    {"cpu", LifetimeRules::kCpu},
                    {"micro", LifetimeRules::kMicro}},
                   text, rules);
}

CLI::Option* AddSharing(CLI::App* verb, const std::string& text,
                        Sharing* sharing) {
  return AddChoice(verb, "--sharing",
                   {{"fixed", Sharing::kFixed},
                    {"groups", Sharing::kGroups},
                    {"none", Sharing::kNone}},
                   text, sharing);
}

void AddShadows(CLI::App* verb, InputOptions* options) {
  harness::TraceShadows* const shadows = &options->shadows;
  LimitTo({InputKind::kModel},
          verb->add_flag_callback(
              "--shadow",
              [shadows] { shadows->mode = harness::ShadowMode::kMissing; },
              "Under --lifetimes cpu, which this option implies: accept "
              "operators without a kernel, with the shapes that the model "
              "declares"),
          options);
}

CLI::Option* AddStreams(CLI::App* verb, const std::string& text,
                        size_t* streams) {
  return AddValue(
      verb, "--streams", "K", text, [streams](const std::string& value) {
        const absl::StatusOr<uint64_t> number = ParseNumber(value);
        if (!number.ok() || *number == 0 || *number > TaskOrder::kMaxChains) {
          return Expected(
              absl::StrCat("a number from 1 to ", TaskOrder::kMaxChains),
              value);
        }
        *streams = static_cast<size_t>(*number);
        return absl::OkStatus();
      });
}

namespace {

void AddShapeOptions(CLI::App* verb, InputOptions* options,
                     bool takes_parameters) {
  LimitTo({InputKind::kModel},
          AddShape(verb, &options->shadows.shapes,
                   takes_parameters ? &options->open : nullptr),
          options);
  LimitTo({InputKind::kModel}, AddStrict(verb, &options->is_strict), options);
  if (!takes_parameters) return;
  LimitTo({InputKind::kModel}, AddParameter(verb, &options->open), options);
  LimitTo({InputKind::kModel}, AddWhere(verb, &options->open), options);
}

}  // namespace

void AddModelOptions(CLI::App* verb, InputOptions* options,
                     bool takes_parameters) {
  ModelTraceOptions* model = &options->model;
  const auto limit = [options](CLI::Option* option,
                               std::string (*why)(const InputOptions&)) {
    LimitTo({InputKind::kModel}, option, options,
            [why, options](const SeenInput&) { return why(*options); });
  };
  LimitTo({InputKind::kModel},
          AddParsed(verb, "--subgraph", "N",
                    "The number of the subgraph to read, from 0", ParseNumber,
                    &model->subgraph),
          options);
  LimitTo({InputKind::kModel},
          AddLifetimes(verb,
                       "How long tensors live: from producer to last "
                       "reader (plain, the default), as in stowage run (cpu), "
                       "or as in TensorFlow Lite Micro (micro)",
                       &options->lifetimes),
          options);
  limit(AddWord(verb, "--offline", {"honour", "ignore"},
                "Under --lifetimes micro, which honour implies: keep "
                "the offsets of the plan in the model (honour), or place all "
                "tensors (ignore, the default)",
                [verb, options](size_t k) {
                  const bool honours = k == 0;
                  options->model.honour_offline_plan = honours;
                  // The callback can check whether --lifetimes is given,
                  // because CLI11 reads --lifetimes before this option.
                  if (honours && verb->count("--lifetimes") == 0) {
                    options->lifetimes = LifetimeRules::kMicro;
                  }
                }),
        WhyNoOffline);
  LimitTo({InputKind::kModel, InputKind::kRecording},
          AddValue(verb, "--tensor-alignment", "SIZE",
                   "Round every tensor size up to a "
                   "multiple of this power of two",
                   [options](const std::string& text) {
                     const auto alignment = ParseAlignment(text);
                     if (alignment.ok()) {
                       options->model.tensor_alignment = *alignment;
                       options->recording.tensor_alignment = *alignment;
                     }
                     return alignment.status();
                   }),
          options);
  limit(verb->add_flag(
            "--include-io", model->include_io,
            "Under --lifetimes plain: also plan graph inputs, outputs "
            "and variables; cpu and micro always plan inputs and outputs"),
        WhyNoIncludeIo);
  limit(AddIoLifetime(
            verb,
            "Graph inputs live to the end (keep, the default), or to "
            "their last use (use). Under --lifetimes micro, use is the "
            "default, and keep holds inputs and outputs for the whole run",
            &model->io_lifetime),
        WhyNoIoLifetime);
  AddShapeOptions(verb, options, takes_parameters);
}

void AddTraceOptions(CLI::App* verb, InputOptions* options,
                     bool takes_parameters) {
  AddModelOptions(verb, options, takes_parameters);
  AddRecordingOptions(verb, options);
  AddAt(verb, options);
  LimitTo({InputKind::kTrace},
          verb->add_flag("--ignore-unknown-columns",
                         options->csv.ignore_unknown_columns,
                         "Ignore columns that are not part of the "
                         "format"),
          options);
}

}  // namespace stowage::cli
