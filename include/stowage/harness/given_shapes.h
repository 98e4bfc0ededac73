// SPDX-License-Identifier: Apache-2.0
// Finds which shapes of a model's tensors are known before a run: the given
// shapes, and the shapes that operators compute from them. If the model leaves
// an extent of a tensor open, and no shape is given for this tensor, the
// declared extent is used. All extents that are computed from such an extent
// stay open (tflite/known_shapes.h).
//
//   absl::StatusOr<GivenTensors> given =
//       ResolveShapes(model, 0, {{"image", {1, 224, 224, 3}}});
//   absl::StatusOr<KnownShapes> shapes =
//       FindKnownShapes(model, BuiltinOperators(), 0, *given);
//
// The kernels are prepared in the order of execution, and nothing runs. IF and
// WHILE are followed into the subgraphs that they call.
#ifndef STOWAGE_HARNESS_GIVEN_SHAPES_H_
#define STOWAGE_HARNESS_GIVEN_SHAPES_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// A shape that a user gives. It replaces the shape that the model declares.
struct GivenShape {
  // The name of a tensor, the name of an input in a signature of the subgraph,
  // or a number. A number below the number of graph inputs is the position of
  // an input; any other number is the index of a tensor of the subgraph.
  std::string tensor;
  Shape shape;
};

// Maps the index of a tensor in its subgraph to the shape that is given for the
// tensor.
using GivenTensors = std::map<size_t, Shape>;

// Finds the tensors for which shapes are given. Errors: InvalidArgument, naming
// the model and the tensor, if there is no such subgraph or tensor, if several
// tensors have the name, if two shapes are given for one tensor, if the rank or
// an extent differs from what the model fixes, or if the tensor would have
// 2^64 bytes or more. A shape may be given only for a graph input, for an
// output of an operator, or for scratch memory (TensorSpec::is_scratch), and
// not for a constant or a variable. For any other tensor, the error is also
// InvalidArgument.
absl::StatusOr<GivenTensors> ResolveShapes(const Model& model, size_t subgraph,
                                           absl::Span<const GivenShape> given);

// Returns the shapes of all tensors of a model, except constants. `given` has
// shapes for tensors of `subgraph`. The inputs of any other subgraph that no
// operator calls have the shapes that the model declares. If two calls of a
// subgraph lead to different shapes for a tensor, or if no kernel can compute
// its shape, the tensor has the shape that the model declares. Error:
// InvalidArgument, naming the tensor, if an operator computes a shape that
// differs from the given one.
absl::StatusOr<KnownShapes> FindKnownShapes(const Model& model,
                                            const OperatorResolver& resolver,
                                            size_t subgraph,
                                            const GivenTensors& given);

// Returns the shapes that a run with shadows needs
// (InterpreterOptions::shapes). The result has all given shapes. It also has
// the shape of a tensor that an operator without a kernel writes, if this shape
// follows from the shapes of the inputs. An input without a given shape has the
// shape that the model declares. Errors: those of FindKnownShapes.
absl::StatusOr<GivenTensors> ShapesForShadows(const Model& model,
                                              const OperatorResolver& resolver,
                                              size_t subgraph,
                                              const GivenTensors& given);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_GIVEN_SHAPES_H_
