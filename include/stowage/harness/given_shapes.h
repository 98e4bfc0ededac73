// SPDX-License-Identifier: Apache-2.0
// Finds the shapes of a model's tensors that are known before a run: the given
// shapes, and the shapes that operators compute from them. If the model leaves
// an extent of a tensor open, and no shape is given for this tensor, the
// declared extent is used. All extents that are computed from such an extent
// remain open (tflite/known_shapes.h).
//
//   absl::StatusOr<GivenTensors> given =
//       ResolveShapes(model, 0, {{"image", {1, 224, 224, 3}}});
//   absl::StatusOr<KnownShapes> shapes =
//       FindKnownShapes(model, BuiltinOperators(), 0, *given);
//
// The kernels are prepared in execution order, and nothing runs. The subgraphs
// that IF and WHILE call are included.
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

// A shape that a user gives. It replaces the shape in the model.
struct GivenShape {
  // A tensor, identified by its name, by the name of an input in a signature of
  // the subgraph, or by a number. A number below the number of graph inputs is
  // the position of an input; any other number is the index of a tensor of the
  // subgraph.
  std::string tensor;
  Shape shape;
};

// The given shapes, keyed by the index of the tensor in its subgraph.
using GivenTensors = std::map<size_t, Shape>;

// Finds the tensors for which shapes are given. Shapes may be given only for a
// graph input, for an output of an operator, or for scratch memory
// (TensorSpec::is_scratch), and not for a constant or a variable. Error:
// InvalidArgument, naming the model and the tensor, for any other tensor; if
// the subgraph or the tensor does not exist; if several tensors have the name;
// if two shapes are given for one tensor; if the rank or an extent differs from
// one that the model fixes; or if the tensor would have 2^64 bytes or more.
absl::StatusOr<GivenTensors> ResolveShapes(const Model& model, size_t subgraph,
                                           absl::Span<const GivenShape> given);

// Returns the shapes of all tensors of a model, except constants. `given` has
// shapes for tensors of `subgraph`. The inputs of any other subgraph that no
// operator calls have their declared shapes. A tensor also has its declared
// shape if two calls of its subgraph lead to different shapes, or if no kernel
// can compute its shape. Error: InvalidArgument, naming the tensor, if an
// operator computes a shape that differs from the given one.
absl::StatusOr<KnownShapes> FindKnownShapes(const Model& model,
                                            const OperatorResolver& resolver,
                                            size_t subgraph,
                                            const GivenTensors& given);

// Returns the shapes that a run with shadows needs
// (InterpreterOptions::shapes). The result contains all given shapes, and the
// shape of each tensor that an operator without a kernel writes, if this shape
// can be computed from the shapes of the inputs. An input without a given shape
// has its declared shape. Errors: those of FindKnownShapes.
absl::StatusOr<GivenTensors> ShapesForShadows(const Model& model,
                                              const OperatorResolver& resolver,
                                              size_t subgraph,
                                              const GivenTensors& given);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_GIVEN_SHAPES_H_
