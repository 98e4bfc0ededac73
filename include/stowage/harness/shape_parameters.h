// SPDX-License-Identifier: Apache-2.0
// Shapes of a model's inputs whose extents follow from parameters, such as the
// length of a sequence. For shapes whose extents are numbers use
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

// An extent is a number, or the value of a parameter.
struct ShapeExtent {
  int32_t number = 0;          // is ignored if `parameter` is not empty
  std::string parameter = {};  // the name of a parameter, or empty
};

// A shape for a tensor, which is named as in GivenShape.
struct ShapePattern {
  std::string tensor;
  std::vector<ShapeExtent> extents;
};

struct ShapeParameters {
  std::vector<ShapePattern> shapes;
  std::vector<SizeParameter> parameters;
  // Limits, which hold for all values that occur (DynamicSpec::where).
  std::vector<std::string> where;
};

// Returns the values of the parameters, as a problem whose only record has one
// byte. Errors: InvalidArgument, naming the parameter, if a shape uses a
// parameter that is not listed, no shape uses one that is listed, or a value is
// not an extent, which is at least 1 and less than 2^31; those of
// DynamicProblem::Create, for parameters and limits.
absl::StatusOr<DynamicProblem> ValuesOf(const ShapeParameters& open);

// Returns the shapes at a value of each parameter, which must be a value of
// ValuesOf.
std::vector<GivenShape> ShapesAt(const ShapeParameters& open,
                                 const ParameterValues& values);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_SHAPE_PARAMETERS_H_
