// SPDX-License-Identifier: Apache-2.0
// Declares options that several verbs share, and parsers for their values.
//
// The options read their values as text and parse them here, since CLI11 would
// accept a sign and would read 010 as eight.
#ifndef STOWAGE_SRC_COMMAND_OPTIONS_H_
#define STOWAGE_SRC_COMMAND_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/inputs.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/planner.h"
#include "stowage/strategy.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage::cli {

// Parses a number that consists of decimal digits only. Error: InvalidArgument.
absl::StatusOr<uint64_t> ParseNumber(absl::string_view text);
// Parses a number of bytes: "4096", "4KiB", "64MiB", "2GiB". Error:
// InvalidArgument.
absl::StatusOr<size_t> ParseSize(absl::string_view text);
// Parses a number of at least 1. Error: InvalidArgument.
absl::StatusOr<uint64_t> ParsePositive(absl::string_view text);
// Parses a size that is a power of two. Error: InvalidArgument.
absl::StatusOr<size_t> ParseAlignment(absl::string_view text);
// Parses a finite number of 0 or more, which may have a fraction. Error:
// InvalidArgument.
absl::StatusOr<double> ParseTolerance(absl::string_view text);
// Parses a time: "500ms", "10s", "2m". Error: InvalidArgument.
absl::StatusOr<absl::Duration> ParseTime(absl::string_view text);
// Parses the path of a file to write, which must not be standard output. Error:
// InvalidArgument.
absl::StatusOr<std::string> ParseOutputFile(absl::string_view text);
// ParseStrategy parses the name of one strategy; ParseStrategies parses several
// names, separated by commas. Error: NotFound, with a message that lists the
// known names.
absl::StatusOr<std::string> ParseStrategy(absl::string_view text);
absl::StatusOr<std::vector<std::string>> ParseStrategies(
    absl::string_view text);

enum class Format { kText, kJson, kCsv, kMarkdown, kHtml };

// Adds an option with one value, which the help shows as `example`. The option
// calls `read` with the value. If `read` returns an error, the command line is
// rejected.
CLI::Option* AddValue(
    CLI::App* verb, const std::string& names, const std::string& example,
    const std::string& help,
    std::function<absl::Status(const std::string& value)> read);

// Like AddValue, but the option may be repeated. Calls `read` with each value.
CLI::Option* AddRepeated(
    CLI::App* verb, const std::string& name, const std::string& example,
    const std::string& help,
    std::function<absl::Status(const std::string& value)> read);

// Like AddRepeated, but appends the values to *texts.
CLI::Option* AddTexts(CLI::App* verb, const std::string& name,
                      const std::string& example, const std::string& help,
                      std::vector<std::string>* texts);

// Adds an option whose value must be one of `words`. Calls `choose` with the
// index of the word.
CLI::Option* AddWord(CLI::App* verb, const std::string& name,
                     const std::vector<std::string>& words,
                     const std::string& help,
                     std::function<void(size_t index)> choose);

// Like AddWord, but stores the value that belongs to the word.
template <typename Target>
CLI::Option* AddChoice(
    CLI::App* verb, const std::string& name,
    const std::vector<std::pair<std::string, Target>>& choices,
    const std::string& help, Target* target) {
  std::vector<std::string> words;
  std::vector<Target> values;
  for (const auto& [word, value] : choices) {
    words.push_back(word);
    values.push_back(value);
  }
  return AddWord(verb, name, words, help,
                 [values, target](size_t k) { *target = values[k]; });
}

// Like AddValue, but stores the value that `parse` returns.
template <typename Target, typename Value>
CLI::Option* AddParsed(CLI::App* verb, const std::string& names,
                       const std::string& example, const std::string& help,
                       absl::StatusOr<Value> (*parse)(absl::string_view),
                       Target* target) {
  return AddValue(verb, names, example, help,
                  [parse, target](const std::string& text) {
                    absl::StatusOr<Value> value = parse(text);
                    if (!value.ok()) return value.status();
                    *target = *std::move(value);
                    return absl::OkStatus();
                  });
}

// The help text of an input of a verb with AddTraceOptions.
inline constexpr char kAnyInput[] =
    "A trace (CSV), a problem or program (JSON), a .tflite model or a "
    "recording; - for standard input";

// Adds a required input of the verb: one file, or several files if the target
// is a list.
template <typename Target>
void AddInput(CLI::App* verb, const std::string& name, Target* target,
              const std::string& help) {
  verb->add_option(name, *target, help)->required()->type_name("");
}
// Adds MODEL, which is required.
void AddModel(CLI::App* verb, std::string* model);
// Adds an option with any text.
CLI::Option* AddText(CLI::App* verb, const std::string& name,
                     const std::string& example, const std::string& help,
                     std::string* text);
// Adds -o, whose value must not be empty. Stores "-" for every path that refers
// to standard output.
void AddOutput(CLI::App* verb, const std::string& example,
               const std::string& help, std::string* output);
// Adds --bits 32|64.
void AddBits(CLI::App* verb, MicroWord* word);
// Returns 32 or 64.
inline int BitsOf(MicroWord word) { return word == MicroWord::k64 ? 64 : 32; }
// Adds --format, whose value must be one of `formats`.
void AddFormat(CLI::App* verb, Format* format,
               const std::vector<std::string>& formats = {"text", "json"});
// Returns InvalidArgument if -o and --format json both write to standard
// output.
absl::Status CheckOneDocument(const std::string& output, Format format);
// Add --kind offsets|objects. AddKinds also accepts `both`.
void AddKind(CLI::App* verb, PlanKind* kind);
void AddKinds(CLI::App* verb, std::vector<PlanKind>* kinds);
// The limits of a search: --time-limit, --nodes, --seed and --threads.
struct SearchArgs {
  absl::optional<absl::Duration> time_limit;
  absl::optional<uint64_t> nodes;
  uint64_t seed = 1;
  // The number of threads. If 0, uses one thread per core.
  size_t threads = 0;
  // If true, bounding intervals replace partial orders, and bounding boxes
  // replace groups (--relax hull).
  bool relax = false;
};

// Adds --time-limit and --nodes. In the help, `default_limit` describes the
// limit that applies if neither of them is given.
void AddSearchLimits(CLI::App* verb, const std::string& default_limit,
                     SearchArgs* args);

// Adds all options of SearchArgs except --relax. `default_limit` is the default
// of --time-limit and is shown in the help.
void AddSearchOptions(CLI::App* verb, absl::Duration default_limit,
                      SearchArgs* args);

// Adds --relax hull.
void AddRelax(CLI::App* verb, SearchArgs* args);

SolveOptions SolveOptionsOf(const SearchArgs& args,
                            absl::Duration default_limit);

// Returns Unimplemented if a limit is given but none of the strategies
// searches, because a strategy that does not search needs no limit.
absl::Status CheckSearchArgs(const SearchArgs& args,
                             absl::Span<const std::string> strategies);

// Returns whether the strategy with this name searches.
bool IsSearch(absl::string_view strategy);

// Returns InvalidArgument if an alignment is given but all plans are of shared
// objects, which have no offsets.
absl::Status CheckAlignment(absl::optional<size_t> alignment,
                            absl::Span<const PlanKind> kinds);
// Adds --alignment, which overrides the column of alignments of a trace.
void AddAlignment(CLI::App* verb, absl::optional<size_t>* alignment);
// Adds --lifetimes plain|cpu|micro. In the help, `text` describes the default
// of the verb.
CLI::Option* AddLifetimes(CLI::App* verb, const std::string& text,
                          LifetimeRules* rules);
// Adds --io-lifetime keep|use.
template <typename Target>
CLI::Option* AddIoLifetime(CLI::App* verb, const std::string& text,
                           Target* lifetime) {
  return AddChoice(verb, "--io-lifetime",
                   {{"keep", IoLifetime::kKeep}, {"use", IoLifetime::kUse}},
                   text, lifetime);
}
// Adds --sharing fixed|groups|none.
CLI::Option* AddSharing(CLI::App* verb, const std::string& text,
                        Sharing* sharing);
// Adds --shadow and --shape, for lifetime rules that need kernels.
void AddShadows(CLI::App* verb, InputOptions* options);
// Restricts `option` like the other LimitTo, for a verb that reads inputs of
// several kinds. The help of the verb lists the option under a heading that
// names `kinds`.
CLI::Option* LimitTo(std::vector<InputKind> kinds, CLI::Option* option,
                     InputOptions* options, WhyIdle why_idle = nullptr);
// Returns the reason why --sharing has no effect on models under these rules,
// in the format of WhyIdle.
std::string WhyNoSharing(const InputOptions& options);
// Adds --streams, whose value is a number from 1 to 64.
CLI::Option* AddStreams(CLI::App* verb, const std::string& text,
                        size_t* streams);
// Adds --subgraph, --lifetimes, --offline, --include-io, --io-lifetime,
// --tensor-alignment, --shape and --strict. If `takes_parameters` is true, also
// adds --parameter and --where.
void AddModelOptions(CLI::App* verb, InputOptions* options,
                     bool takes_parameters = false);
// Adds --part, --frees, --alive-before, --alive-after, --uses, --dim and
// --default-dim.
void AddRecordingOptions(CLI::App* verb, InputOptions* options);
// Adds the options of AddModelOptions and AddRecordingOptions, and
// --ignore-unknown-columns.
void AddTraceOptions(CLI::App* verb, InputOptions* options,
                     bool takes_parameters = false);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_OPTIONS_H_
