// SPDX-License-Identifier: Apache-2.0
#include "src/command/option_limits.h"

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage::cli {
namespace {

absl::string_view KindName(InputKind kind) {
  switch (kind) {
    case InputKind::kTrace:
      return "a trace (CSV)";
    case InputKind::kProblem:
      return "a problem (JSON)";
    case InputKind::kProgram:
      return "a program (JSON)";
    case InputKind::kDynamic:
      return "a problem with parameters (JSON)";
    case InputKind::kRecording:
      return "a recording";
    case InputKind::kModel:
      break;
  }
  return "a model (.tflite)";
}

absl::string_view PluralOf(InputKind kind) {
  switch (kind) {
    case InputKind::kTrace:
      return "traces";
    case InputKind::kProblem:
      return "problems";
    case InputKind::kProgram:
      return "programs";
    case InputKind::kDynamic:
      return "problems with parameters";
    case InputKind::kRecording:
      return "recordings";
    case InputKind::kModel:
      break;
  }
  return "models";
}

std::string NameOf(const SeenInput& input) {
  return input.path == "-" ? "<stdin>" : input.path;
}

// Returns the reason why the option has no effect on any of the inputs, or an
// empty string if it has an effect on one of them.
std::string WhyWithout(const OptionLimit& limit,
                       absl::Span<const SeenInput> inputs) {
  // The reason why the option has no effect on the first input of a permitted
  // kind.
  std::string idle;
  for (const SeenInput& input : inputs) {
    if (!absl::c_linear_search(limit.kinds, input.kind)) continue;
    const std::string why = limit.why_idle ? limit.why_idle(input) : "";
    if (why.empty()) return "";
    if (!idle.empty()) continue;
    idle = absl::StrCat("has no effect on ", NameOf(input),
                        absl::StartsWith(why, ",") ? "" : " ", why);
  }
  if (!idle.empty()) return idle;
  const SeenInput& first = inputs.front();
  const std::string input =
      absl::StrCat(NameOf(first), ", ", KindName(first.kind));
  return absl::StrCat(
      "has no effect on ",
      inputs.size() == 1
          ? input
          : absl::StrCat("any of ", inputs.size(), " inputs, such as ", input),
      "; expected ",
      absl::StrJoin(limit.kinds, " or ", [](std::string* out, InputKind kind) {
        absl::StrAppend(out, KindName(kind));
      }));
}

}  // namespace

std::string HeadingFor(std::vector<InputKind> kinds) {
  if (absl::c_linear_search(kinds, InputKind::kDynamic)) {
    // A model is such a problem if an extent of it is a parameter.
    kinds = {InputKind::kDynamic};
  }
  absl::c_sort(kinds);
  return absl::StrCat(
      "Options for ",
      absl::StrJoin(kinds, " and ", [](std::string* out, InputKind kind) {
        absl::StrAppend(out, PluralOf(kind));
      }));
}

CLI::Option* LimitTo(std::vector<InputKind> kinds, CLI::Option* option,
                     std::vector<OptionLimit>* limits, WhyIdle why_idle) {
  limits->push_back({option, std::move(kinds), std::move(why_idle)});
  return option;
}

absl::Status CheckEffects(absl::Span<const OptionLimit> limits,
                          absl::Span<const SeenInput> inputs) {
  if (inputs.empty()) return absl::OkStatus();
  for (const OptionLimit& limit : limits) {
    if (limit.option->count() == 0) continue;
    const std::string why = WhyWithout(limit, inputs);
    if (why.empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(limit.option->get_name(), ": ", why));
  }
  return absl::OkStatus();
}

absl::Status CheckNotGiven(const CLI::App& verb,
                           absl::Span<const char* const> options,
                           absl::string_view why) {
  for (const char* const option : options) {
    if (verb.count(option) == 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(option, ": has no effect ", why));
  }
  return absl::OkStatus();
}

}  // namespace stowage::cli
