// SPDX-License-Identifier: Apache-2.0
// Describes the shapes of a model's inputs if their extents depend on
// parameters, such as the length of a sequence. If all extents are numbers, use
// given_shapes.h.
//
//   ShapeParameters open;
//   open.shapes = {{"tokens", {{1}, {0, "seq"}}}};  // --shape tokens=1x?seq
//   open.parameters = {{"seq", 16, 512, 16}};       // --parameter
//   absl::StatusOr<DynamicProblem> values = ValuesOf(open);
//   ShapesAt(open, *values->ParseValues("seq=128"));  // tokens=1x128
#ifndef STOWAGE_HARNESS_SHAPE_PARAMETERS_H_
#define STOWAGE_HARNESS_SHAPE_PARAMETERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/harness/given_shapes.h"

namespace stowage::harness {

// An extent: either a number or the value of a parameter.
struct ShapeExtent {
  int32_t number = 0;          // is ignored if `parameter` is not empty
  std::string parameter = {};  // the name of a parameter, or empty
};

// A shape of a tensor. `tensor` identifies the tensor in the same way as
// GivenShape::tensor.
struct ShapePattern {
  std::string tensor;
  std::vector<ShapeExtent> extents;
};

struct ShapeParameters {
  std::vector<ShapePattern> shapes;
  std::vector<SizeParameter> parameters;
  // Conditions on the parameters. A value is possible only if it satisfies all
  // conditions (DynamicSpec::where).
  std::vector<std::string> where;
};

// Returns the possible values of the parameters, as a problem with a single
// record of one byte. Errors: InvalidArgument, naming the parameter, if a shape
// uses a parameter that is not listed, if no shape uses a listed parameter, or
// if a value cannot be an extent because it is not in [1, 2^31); those of
// DynamicProblem::Create for parameters and limits.
absl::StatusOr<DynamicProblem> ValuesOf(const ShapeParameters& open);

// Returns the shapes for one value of each parameter. Requires that `values` is
// among the values of ValuesOf.
std::vector<GivenShape> ShapesAt(const ShapeParameters& open,
                                 const ParameterValues& values);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_SHAPE_PARAMETERS_H_
