// SPDX-License-Identifier: Apache-2.0
#include "src/command/dynamic_model_input.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/dynamic_inputs.h"
#include "src/command/inputs.h"
#include "src/command/notes.h"
#include "src/command/shape_options.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/error_payload.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/dynamic_model.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/problem.h"
#include "stowage/tflite/model_trace.h"

namespace stowage::cli {

absl::StatusOr<ModelTrace> ParseOpenModel(const std::string& path,
                                          absl::string_view bytes,
                                          absl::string_view name,
                                          const InputOptions& options,
                                          DynamicInput* input) {
  absl::optional<ModelTrace> first;
  const auto records_at = [&](absl::Span<const harness::GivenShape> shapes)
      -> absl::StatusOr<ProblemSpec> {
    harness::TraceShadows at = options.shadows;
    at.shapes.assign(shapes.begin(), shapes.end());
    absl::StatusOr<ModelTrace> trace =
        harness::ParseTrace(bytes, name, options.lifetimes, options.model, at);
    if (!trace.ok()) return trace.status();
    if (!first) first = *trace;
    return std::move(trace->problem);
  };
  absl::StatusOr<harness::DynamicModel> model =
      harness::DynamicProblemOfModel(options.open, records_at);
  if (!model.ok()) return model.status();
  const absl::Status open =
      NoteOpenShapes(path, first->open, options.is_strict);
  if (!open.ok()) return open;
  AddNote(path, model->note);
  const absl::StatusOr<DynamicProblem> problem =
      DynamicProblem::Create(model->spec);
  if (!problem.ok()) return AtPlace(name, problem.status());
  if (!options.at.empty()) {
    const absl::StatusOr<ParameterValues> values =
        problem->ParseValues(options.at);
    if (!values.ok()) return AtPlace(name, values.status());
    absl::StatusOr<ProblemSpec> spec = problem->SpecAt(*values);
    if (!spec.ok()) return AtPlace(name, spec.status());
    first->problem = *std::move(spec);
    return *std::move(first);
  }
  if (input == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": has parameters; expected --at, a value for each of them"));
  }
  input->file = {};
  input->file.problem = std::move(model->spec);
  input->problem = *problem;
  first->problem = ProblemSpec();
  return *std::move(first);
}

}  // namespace stowage::cli
