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

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/notes.h"
#include "src/command/options.h"
#include "src/command/text.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shape_parameters.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {
namespace {

// Parses an extent: a number, or ?NAME.
absl::optional<harness::ShapeExtent> ParseExtent(absl::string_view text,
                                                 bool takes_names) {
  harness::ShapeExtent extent;
  if (takes_names && absl::ConsumePrefix(&text, "?")) {
    if (text.empty()) return absl::nullopt;
    extent.parameter = std::string(text);
    return extent;
  }
  const absl::StatusOr<uint64_t> number = ParsePositive(text);
  if (!number.ok() || *number > std::numeric_limits<int32_t>::max()) {
    return absl::nullopt;
  }
  extent.number = static_cast<int32_t>(*number);
  return extent;
}

// Returns the length of the first extent. An x terminates it only if another
// extent follows, which begins with a digit or a question mark. In 1x?maxx8,
// for example, the name is max.
size_t LengthOfExtent(absl::string_view text) {
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const bool begins_extent =
        text[i + 1] == '?' ||
        absl::ascii_isdigit(static_cast<unsigned char>(text[i + 1]));
    if (text[i] == 'x' && begins_extent) return i;
  }
  return text.size();
}

// Parses INPUT=1x2x3, or INPUT=1x?seq if extents may have names. The name of
// the input may contain any characters.
absl::StatusOr<harness::ShapePattern> ParseShape(const std::string& text,
                                                 bool takes_names) {
  const size_t equals = text.rfind('=');
  harness::ShapePattern pattern;
  bool is_shape = equals != std::string::npos && equals > 0;
  if (is_shape) {
    pattern.tensor = text.substr(0, equals);
    absl::string_view rest = absl::string_view(text).substr(equals + 1);
    while (is_shape) {
      const size_t length = LengthOfExtent(rest);
      const auto extent = ParseExtent(rest.substr(0, length), takes_names);
      is_shape = extent.has_value();
      if (is_shape) pattern.extents.push_back(*extent);
      if (length == rest.size()) break;
      rest.remove_prefix(length + 1);
    }
  }
  if (is_shape) return pattern;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "'; expected INPUT=1x2x3, with extents from 1 to 2^31 - 1",
      takes_names ? " or names, as in 1x?seq" : ""));
}

// Parses NAME=MIN..MAX or NAME=MIN..MAX:STEP.
absl::StatusOr<SizeParameter> ParseParameter(const std::string& text) {
  const std::pair<absl::string_view, absl::string_view> named =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  const std::pair<absl::string_view, absl::string_view> range =
      absl::StrSplit(named.second, absl::MaxSplits("..", 1));
  const std::vector<absl::string_view> end = absl::StrSplit(range.second, ':');
  SizeParameter parameter;
  parameter.name = std::string(named.first);
  const absl::StatusOr<uint64_t> min = ParseNumber(range.first);
  const absl::StatusOr<uint64_t> max = ParseNumber(end[0]);
  const absl::StatusOr<uint64_t> step =
      end.size() == 2 ? ParseNumber(end[1]) : absl::StatusOr<uint64_t>(1);
  if (named.first.empty() || end.size() > 2 || !min.ok() || !max.ok() ||
      !step.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text,
                     "'; expected NAME=MIN..MAX or "
                     "NAME=MIN..MAX:STEP, as in seq=16..512:16"));
  }
  parameter.min = *min;
  parameter.max = *max;
  parameter.step = *step;
  return parameter;
}

// Returns the options with which a user can give the shapes of the open inputs.
std::string ShapesToGive(const OpenShapes& open) {
  if (open.inputs.empty()) return "--shape TENSOR=1x2x3";
  return absl::StrCat("--shape ", absl::StrJoin(open.inputs, " --shape "));
}

}  // namespace

bool HasParameters(const harness::ShapeParameters& open) {
  return !open.parameters.empty() || !open.where.empty() ||
         absl::c_any_of(open.shapes, [](const harness::ShapePattern& shape) {
           return absl::c_any_of(shape.extents,
                                 [](const harness::ShapeExtent& extent) {
                                   return !extent.parameter.empty();
                                 });
         });
}

absl::Status CheckParameters(const harness::ShapeParameters& open) {
  return HasParameters(open) ? harness::ValuesOf(open).status()
                             : absl::OkStatus();
}

CLI::Option* AddShape(CLI::App* verb, std::vector<harness::GivenShape>* shapes,
                      harness::ShapeParameters* open) {
  return AddRepeated(
      verb, "--shape", "INPUT=1x2x3",
      absl::StrCat(
          "The shape of an input, or of a tensor whose shape no kernel "
          "computes, "
          "instead of the model's. INPUT is a name or number",
          open == nullptr
              ? ""
              : "; an extent that varies is ?NAME of a parameter, as in 1x?seq",
          "; may be repeated"),
      [shapes, open](const std::string& text) {
        auto parsed = ParseShape(text, open != nullptr);
        if (!parsed.ok()) return parsed.status();
        harness::GivenShape& shape = shapes->emplace_back();
        shape.tensor = parsed->tensor;
        for (const harness::ShapeExtent& extent : parsed->extents) {
          shape.shape.push_back(extent.number);
        }
        if (open != nullptr) open->shapes.push_back(*std::move(parsed));
        return absl::OkStatus();
      });
}

CLI::Option* AddParameter(CLI::App* verb, harness::ShapeParameters* open) {
  return AddRepeated(
      verb, "--parameter", "NAME=MIN..MAX[:STEP]",
      "The range of the values of an extent ?NAME in --shape; may be repeated",
      [open](const std::string& text) {
        auto parsed = ParseParameter(text);
        if (!parsed.ok()) return parsed.status();
        open->parameters.push_back(*std::move(parsed));
        return absl::OkStatus();
      });
}

CLI::Option* AddWhere(CLI::App* verb, harness::ShapeParameters* open) {
  return AddRepeated(
      verb, "--where", "LIMIT",
      "A limit on parameters, as in 'batch*seq <= 4096'; may be repeated",
      [open](const std::string& text) {
        open->where.push_back(text);
        return absl::OkStatus();
      });
}

CLI::Option* AddStrict(CLI::App* verb, bool* is_strict) {
  return verb->add_flag("--strict", *is_strict,
                        "Refuse extents that the model leaves open, instead of "
                        "planning them as 1");
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
                             ") with open extents, which are planned as 1, or "
                             "as operators compute them from that; ",
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
