// SPDX-License-Identifier: Apache-2.0
#include "src/command/shape_options.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "src/command/inputs.h"
#include "src/command/notes.h"
#include "src/command/options.h"
#include "src/command/text.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {
namespace {

// Parses INPUT=1x2x3. The name of the input may contain any characters.
absl::StatusOr<harness::GivenShape> ParseShape(const std::string& text) {
  const size_t equals = text.rfind('=');
  harness::GivenShape given;
  bool is_shape = equals != std::string::npos && equals > 0;
  if (is_shape) {
    given.tensor = text.substr(0, equals);
    for (const absl::string_view extent :
         absl::StrSplit(absl::string_view(text).substr(equals + 1), 'x')) {
      const absl::StatusOr<uint64_t> number = ParsePositive(extent);
      is_shape = is_shape && number.ok() &&
                 *number <= std::numeric_limits<int32_t>::max();
      if (is_shape) given.shape.push_back(static_cast<int32_t>(*number));
    }
  }
  if (is_shape) return given;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "'; expected INPUT=1x2x3, with extents from 1 to 2^31 - 1"));
}

// Returns the options that would give the shapes of the open inputs.
std::string ShapesToGive(const OpenShapes& open) {
  if (open.inputs.empty()) return "--shape TENSOR=1x2x3";
  return absl::StrCat("--shape ", absl::StrJoin(open.inputs, " --shape "));
}

}  // namespace

CLI::Option* AddShape(CLI::App* verb, const std::string& begin,
                      std::vector<harness::GivenShape>* shapes) {
  return AddRepeated(
      verb, "--shape", "INPUT=1x2x3",
      absl::StrCat(begin,
                   " shape of an input, by its name or number, or of a tensor "
                   "that no kernel computes, in place of the model's; may be "
                   "repeated"),
      [shapes](const std::string& text) {
        auto parsed = ParseShape(text);
        if (!parsed.ok()) return parsed.status();
        shapes->push_back(*std::move(parsed));
        return absl::OkStatus();
      });
}

CLI::Option* AddStrict(CLI::App* verb, const std::string& begin,
                       bool* is_strict) {
  return verb->add_flag("--strict", *is_strict,
                        absl::StrCat(begin,
                                     " extents that the model leaves open and "
                                     "that would be planned as 1"));
}

absl::Status NoteOpenShapes(const std::string& path, const OpenShapes& open,
                            bool is_strict, bool takes_shapes) {
  CountOpenShapes(path, open.tensors);
  if (open.tensors == 0) return absl::OkStatus();
  const std::string expected =
      takes_shapes ? absl::StrCat("expected shapes, as in ", ShapesToGive(open))
                   : "expected a model without them";
  if (is_strict) {
    return absl::InvalidArgumentError(absl::StrCat(
        InputName(path), ": ", open.first, ": an extent is open; ", expected));
  }
  AddNote(path, absl::StrCat("warning: ", Count(open.tensors, "tensor"), " (",
                             Count(open.records, "record"),
                             ") with open extents, which are planned as 1 or "
                             "as follows from that; ",
                             expected));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<const Model>> WithGivenShapes(
    std::unique_ptr<const Model> model, size_t subgraph,
    const std::vector<harness::GivenShape>& shapes) {
  if (shapes.empty()) return model;
  const absl::StatusOr<harness::GivenTensors> given =
      harness::ResolveShapes(*model, subgraph, shapes);
  if (!given.ok()) return given.status();
  const absl::StatusOr<KnownShapes> known = harness::FindKnownShapes(
      *model, harness::BuiltinOperators(), subgraph, *given);
  if (!known.ok()) return known.status();
  return model->WithShapes(*known);
}

}  // namespace stowage::cli
