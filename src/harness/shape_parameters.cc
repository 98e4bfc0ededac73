// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/shape_parameters.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/harness/given_shapes.h"

namespace stowage::harness {
namespace {

constexpr uint64_t kMaxExtent = std::numeric_limits<int32_t>::max();

// Checks that shapes and parameters have the same names, and that all values
// are extents.
absl::Status CheckNames(const ShapeParameters& open) {
  std::set<std::string> listed;
  for (const SizeParameter& parameter : open.parameters) {
    listed.insert(parameter.name);
  }
  std::set<std::string> used;
  for (const ShapePattern& shape : open.shapes) {
    for (const ShapeExtent& extent : shape.extents) {
      if (extent.parameter.empty()) continue;
      used.insert(extent.parameter);
      if (listed.count(extent.parameter) > 0) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "no upper bound: ", extent.parameter, "; expected --parameter ",
          extent.parameter, "=MIN..MAX"));
    }
  }
  for (const SizeParameter& parameter : open.parameters) {
    if (used.count(parameter.name) == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "parameter ", parameter.name,
          ": no shape uses it; expected --shape INPUT=1x?", parameter.name));
    }
    if (parameter.min == 0 || parameter.max > kMaxExtent) {
      return absl::InvalidArgumentError(
          absl::StrCat("parameter ", parameter.name, ": ", parameter.min, "..",
                       parameter.max, "; expected extents from 1 to 2^31 - 1"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DynamicProblem> ValuesOf(const ShapeParameters& open) {
  if (absl::Status s = CheckNames(open); !s.ok()) return s;
  DynamicSpec spec;
  spec.problem.records = {{1, 0, 0}};
  spec.parameters = open.parameters;
  spec.where = open.where;
  spec.sizes = {"1"};
  return DynamicProblem::Create(std::move(spec));
}

std::vector<GivenShape> ShapesAt(const ShapeParameters& open,
                                 const ParameterValues& values) {
  std::vector<GivenShape> shapes;
  for (const ShapePattern& pattern : open.shapes) {
    GivenShape& shape = shapes.emplace_back();
    shape.tensor = pattern.tensor;
    for (const ShapeExtent& extent : pattern.extents) {
      auto number = static_cast<uint64_t>(extent.number);
      for (size_t k = 0; k < open.parameters.size(); ++k) {
        if (open.parameters[k].name == extent.parameter) number = values[k];
      }
      shape.shape.push_back(static_cast<int32_t>(number));
    }
  }
  return shapes;
}

}  // namespace stowage::harness
