// SPDX-License-Identifier: Apache-2.0
// Options that several verbs share, and the values that people write.
//
// Values are taken as text and read here, for CLI11 would accept a sign or read
// 010 as eight.
#ifndef STOWAGE_SRC_COMMAND_OPTIONS_H_
#define STOWAGE_SRC_COMMAND_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
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

// Decimal digits and nothing else. Error: InvalidArgument.
absl::StatusOr<uint64_t> ParseNumber(absl::string_view text);
// A number of bytes: "4096", "4KiB", "64MiB", "2GiB". Error: InvalidArgument.
absl::StatusOr<size_t> ParseSize(absl::string_view text);
// A number of at least 1. Error: InvalidArgument.
absl::StatusOr<uint64_t> ParsePositive(absl::string_view text);
// A size that is a power of two. Error: InvalidArgument.
absl::StatusOr<size_t> ParseAlignment(absl::string_view text);
// A finite number of 0 or more, with a fraction. Error: InvalidArgument.
absl::StatusOr<double> ParseTolerance(absl::string_view text);
// A time: "500ms", "10s", "2m". Error: InvalidArgument.
absl::StatusOr<absl::Duration> ParseTime(absl::string_view text);
// "honour" or "ignore": a plan in a model. Error: InvalidArgument.
absl::StatusOr<bool> ParseOffline(absl::string_view text);
// "keep" or "use": how long inputs live. Error: InvalidArgument.
absl::StatusOr<IoLifetime> ParseIoLifetime(absl::string_view text);
// Names of strategies with commas between them. Error: NotFound, listing the
// names there are.
absl::StatusOr<std::vector<std::string>> ParseStrategies(
    absl::string_view text);

enum class Format { kText, kJson };

// An option with one value that is `example` in the help. `read` takes the
// value; its error makes the command line wrong.
CLI::Option* AddValue(
    CLI::App* verb, const std::string& names, const std::string& example,
    const std::string& help,
    std::function<absl::Status(const std::string& value)> read);

// AddValue that stores what `parse` makes of the value.
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

// -o, whose value is not empty, and "-" for all that leads to standard output.
void AddOutput(CLI::App* verb, const std::string& example,
               const std::string& help, std::string* output);
// --bits 32|64
void AddBits(CLI::App* verb, MicroWord* word);
// 32 or 64.
inline int BitsOf(MicroWord word) { return word == MicroWord::k64 ? 64 : 32; }
// --format
void AddFormat(CLI::App* verb, Format* format);
// Error: InvalidArgument if -o and --format json both write to standard output.
absl::Status CheckOneDocument(const std::string& output, Format format);
// --kind offsets|objects, and |both where `kinds` may hold two.
void AddKind(CLI::App* verb, PlanKind* kind);
void AddKinds(CLI::App* verb, std::vector<PlanKind>* kinds);
// What a search is given: --time-limit, --nodes, --seed, --threads.
struct SearchArgs {
  absl::optional<absl::Duration> time_limit;
  absl::optional<uint64_t> nodes;
  uint64_t seed = 1;
  size_t threads = 0;  // one on each core
  bool relax = false;  // to hulls
};

// --time-limit and --nodes; `default_limit` is what the help says of neither.
void AddSearchLimits(CLI::App* verb, const std::string& default_limit,
                     SearchArgs* args);

// All of them; `default_limit` is what --time-limit is if not given, for the
// help.
void AddSearchOptions(CLI::App* verb, absl::Duration default_limit,
                      SearchArgs* args);

// --relax hull.
void AddRelax(CLI::App* verb, SearchArgs* args);

SolveOptions SolveOptionsOf(const SearchArgs& args,
                            absl::Duration default_limit);

// Error: Unimplemented if a limit is given, but none of the strategies
// searches: the others end by themselves.
absl::Status CheckSearchArgs(const SearchArgs& args,
                             absl::Span<const std::string> strategies);

// Returns whether the strategy of that name searches.
bool IsSearch(absl::string_view strategy);

// Error: InvalidArgument for an alignment where all plans are of shared
// objects, which have no offset.
absl::Status CheckAlignment(absl::optional<size_t> alignment,
                            absl::Span<const PlanKind> kinds);
// --alignment, which overrides the column of a trace.
void AddAlignment(CLI::App* verb, absl::optional<size_t>* alignment);
// --lifetimes plain|cpu|micro; `text` is what the help says of the verb's
// default.
CLI::Option* AddLifetimes(CLI::App* verb, const std::string& text,
                          LifetimeRules* rules);
// --sharing fixed|groups|none
CLI::Option* AddSharing(CLI::App* verb, const std::string& text,
                        Sharing* sharing);
// --shadow and --shape, for rules that need kernels.
void AddShadows(CLI::App* verb, InputOptions* options);
// Returns why --sharing has no effect on models under these rules, as WhyIdle.
std::string WhyNoSharing(const InputOptions& options);
// --streams, 1 to 64.
CLI::Option* AddStreams(CLI::App* verb, const std::string& text,
                        size_t* streams);
// --subgraph, --lifetimes, --offline, --include-io, --io-lifetime,
// --tensor-alignment.
void AddModelOptions(CLI::App* verb, InputOptions* options);
// The same, and --ignore-unknown-columns.
void AddTraceOptions(CLI::App* verb, InputOptions* options);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_OPTIONS_H_
