// SPDX-License-Identifier: Apache-2.0
#include "src/command/dynamic_inputs.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/shape_options.h"
#include "src/command/text.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/io/problem_file.h"

namespace stowage::cli {
namespace {

// An empty value would be taken as if the option were not given.
absl::StatusOr<std::string> ParseAtValue(absl::string_view text) {
  if (!text.empty()) return std::string(text);
  return absl::InvalidArgumentError(
      "''; expected values as in seq=128,batch=8, or the name of a scenario");
}

}  // namespace

void AddAt(CLI::App* verb, InputOptions* options) {
  LimitTo({InputKind::kDynamic, InputKind::kModel},
          AddParsed(verb, "--at", "VALUE",
                    "Take the sizes at these values, "
                    "as in seq=128,batch=8, or in the scenario of this name",
                    ParseAtValue, &options->at),
          options, WhyNoParameters(options));
}

WhyIdle WhyNoParameters(const InputOptions* options) {
  return [options](const SeenInput& input) -> std::string {
    const bool has_parameters =
        input.kind == InputKind::kDynamic || HasParameters(options->open);
    return has_parameters ? ""
                          : ", a model (.tflite) without parameters; expected "
                            "a problem with parameters (JSON)";
  };
}

FileFormat DynamicInputFormat(const InputOptions& options,
                              DynamicInput* input) {
  if (!options.at.empty() || input == nullptr) {
    return DynamicFormat(options.at.empty()
                             ? absl::nullopt
                             : absl::optional<std::string>(options.at));
  }
  FileFormat format = DynamicFormat();
  format.parse = [input](
                     absl::string_view bytes,
                     absl::string_view name) -> absl::StatusOr<ProblemFile> {
    absl::StatusOr<DynamicProblem> problem =
        ReadDynamicProblem(bytes, name, &input->file);
    input->status = problem.status();
    if (!problem.ok()) return problem.status();
    input->problem = *std::move(problem);
    return ProblemFile();
  };
  return format;
}

void AddDynamicProblem(const DynamicProblem& problem, Answer* answer) {
  answer->Add("records", "records", problem.size());
  const DynamicSpec& spec = problem.spec();
  if (problem.has_scenarios()) {
    answer->Add("scenarios", "scenarios", Words(spec.scenarios));
    return;
  }
  Json json = Json::object();
  std::vector<std::string> ranges;
  for (const SizeParameter& each : spec.parameters) {
    json[each.name] = {
        {"min", each.min}, {"max", each.max}, {"step", each.step}};
    ranges.push_back(absl::StrCat(
        each.name, " ", each.min, " to ", each.max,
        each.step == 1 ? "" : absl::StrCat(" in steps of ", each.step)));
  }
  answer->Add("parameters", "parameters",
              Value(std::move(json), Value(absl::StrJoin(ranges, ", "))));
  if (!spec.where.empty()) answer->Add("where", "where", Words(spec.where));
}

Value AtValue(const DynamicProblem& problem, const ParameterValues& values) {
  const std::string text = problem.Describe(values);
  if (problem.has_scenarios()) return {Json(text), Value(text)};
  Json json = Json::object();
  for (size_t k = 0; k < values.size(); ++k) {
    json[problem.spec().parameters[k].name] = values[k];
  }
  return {std::move(json), Value(text)};
}

}  // namespace stowage::cli
