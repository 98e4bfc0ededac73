// SPDX-License-Identifier: Apache-2.0
#include "src/command/dynamic_model_input.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/command/inputs.h"
#include "src/command/notes.h"
#include "src/command/shape_options.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/dynamic_model.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/tflite/model_trace.h"

namespace stowage::cli {

absl::StatusOr<DynamicModelInput> ReadDynamicModel(const std::string& path,
                                                   const InputOptions& options,
                                                   std::string* format) {
  DynamicModelInput input;
  bool is_first = true;
  const auto parse = [&](absl::string_view bytes,
                         absl::string_view name) -> absl::StatusOr<ModelTrace> {
    absl::StatusOr<harness::DynamicModel> model =
        harness::DynamicProblemOfModel(
            options.open,
            [&](absl::Span<const harness::GivenShape> shapes)
                -> absl::StatusOr<ProblemSpec> {
              harness::TraceShadows at = options.shadows;
              at.shapes.assign(shapes.begin(), shapes.end());
              absl::StatusOr<ModelTrace> trace = harness::ParseTrace(
                  bytes, name, options.lifetimes, options.model, at);
              if (!trace.ok()) return trace.status();
              if (std::exchange(is_first, false)) input.first = *trace;
              return std::move(trace->problem);
            });
    if (!model.ok()) return model.status();
    input.model = *std::move(model);
    return input.first;
  };
  const absl::StatusOr<ProblemFile> file =
      ReadProblemFile(path, FormatsOf(parse, options, options.csv, format));
  if (!file.ok()) return file.status();
  if (is_first) {
    return absl::InvalidArgumentError(absl::StrCat(
        InputName(path),
        ": is not a model, with --parameter; expected a .tflite file"));
  }
  const absl::Status open =
      NoteOpenShapes(path, input.first.open, options.is_strict);
  if (!open.ok()) return open;
  AddNote(path, DescribeComputed(input.first));
  AddNote(path, input.model.note);
  return input;
}

}  // namespace stowage::cli
