// SPDX-License-Identifier: Apache-2.0
// Adds the options for recordings, which other programs have written.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/command/inputs.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "stowage/recordings/recording.h"

namespace stowage::cli {
namespace {

// Returns a WhyIdle for an option that needs a certain fact about the input. It
// reports that the format of the input does not contain this fact. `what` is
// the name of the fact in the message.
WhyIdle WhyWithoutFact(bool RecordingFormatInfo::*fact,
                       absl::string_view what) {
  return [fact, what](const SeenInput& input) -> std::string {
    for (const RecordingFormatInfo& format : RecordingFormats()) {
      if (format.name == input.format && format.*fact) return "";
    }
    return absl::StrCat(", whose format (", input.format, ") has no ", what,
                        "; expected a recording with them");
  };
}

absl::Status AddDim(absl::string_view text, RecordingOptions* options) {
  const size_t equals = text.rfind('=');
  const absl::StatusOr<uint64_t> extent = ParsePositive(text.substr(
      equals == absl::string_view::npos ? text.size() : equals + 1));
  if (equals == absl::string_view::npos || equals == 0 || !extent.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "'; expected NAME=N with a positive number"));
  }
  const auto [dim, is_new] =
      options->dims.emplace(std::string(text.substr(0, equals)), *extent);
  if (!is_new && dim->second != *extent) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "'; expected the extent ", dim->second,
                     " that was given before, or one of the two"));
  }
  return absl::OkStatus();
}

CLI::Option* AddAlive(CLI::App* verb, const std::string& name,
                      const std::string& help, AliveRule* rule) {
  return AddChoice(verb, name,
                   {{"keep", AliveRule::kKeep}, {"leave", AliveRule::kLeave}},
                   help, rule);
}

}  // namespace

void AddRecordingOptions(CLI::App* verb, InputOptions* options) {
  RecordingOptions* const recording = &options->recording;
  const auto limit = [options](CLI::Option* option, WhyIdle why_idle) {
    LimitTo({InputKind::kRecording}, option, options, std::move(why_idle));
  };
  limit(AddText(verb, "--part", "NAME",
                "The device, module or method to read (default: "
                "the one with the most bytes)",
                &options->part),
        nullptr);
  limit(AddChoice(verb, "--frees",
                  {{"completed", FreeRule::kCompleted},
                   {"requested", FreeRule::kRequested}},
                  "With requested and completed frees: a block lives "
                  "until its free is completed (the default), or requested",
                  &recording->events.frees),
        WhyWithoutFact(&RecordingFormatInfo::has_requested_frees,
                       "requests of frees"));
  const WhyIdle no_events =
      WhyWithoutFact(&RecordingFormatInfo::has_events, "events");
  limit(AddAlive(verb, "--alive-before",
                 "With events: keep blocks that were live before the "
                 "recording (keep, the default), or leave them out (leave)",
                 &recording->events.alive_before),
        no_events);
  limit(AddAlive(verb, "--alive-after",
                 "With events: keep blocks that are still live at the "
                 "end (keep, the default), or leave them out (leave)",
                 &recording->events.alive_after),
        no_events);
  limit(AddChoice(
            verb, "--uses",
            {{"allocation", UseRule::kAllocation},
             {"touches", UseRule::kTouches}},
            "Logs of Stowage's own recorder: a block lives as long as it is "
            "allocated (the default), or from its first touch to its last one",
            &recording->events.uses),
        WhyWithoutFact(&RecordingFormatInfo::has_uses, "uses of blocks"));
  const WhyIdle no_dims =
      WhyWithoutFact(&RecordingFormatInfo::has_open_dims, "open dimensions");
  limit(AddRepeated(verb, "--dim", "NAME=N",
                    "ONNX: the extent of an open dimension, by its name; may "
                    "be repeated",
                    [recording](const std::string& text) {
                      return AddDim(text, recording);
                    }),
        no_dims);
  limit(AddValue(verb, "--default-dim", "N",
                 "ONNX: the extent of every other open dimension",
                 [recording](const std::string& text) {
                   const absl::StatusOr<uint64_t> extent = ParsePositive(text);
                   if (extent.ok()) recording->default_dim = *extent;
                   return extent.status();
                 }),
        no_dims);
}

}  // namespace stowage::cli
