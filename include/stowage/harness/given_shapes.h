// SPDX-License-Identifier: Apache-2.0
// The shapes of a model's tensors that are known before a run: those that are
// given for inputs, and what operators compute from them. An extent that the
// model leaves open and nobody gives is taken as declared, and everything that
// follows from it stays open (tflite/known_shapes.h).
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

// A shape that a user gives, in place of the one that the model declares.
struct GivenShape {
  // The name of a tensor, an input's name in a signature of the subgraph, or a
  // number: that of an input of the graph, from 0, or beyond the last input
  // that of a tensor of the subgraph.
  std::string tensor;
  Shape shape;
};

// Has the given shapes by tensor of a subgraph.
using GivenTensors = std::map<size_t, Shape>;

// Finds the tensors whose shapes are given. Errors: InvalidArgument, naming the
// model and the tensor, if there is no such subgraph or tensor, if a name is
// that of several tensors, if the tensor is a constant or a variable or is
// given twice, if the rank or an extent differs from what the model fixes, and
// if the tensor would have 2^64 bytes or more.
absl::StatusOr<GivenTensors> ResolveShapes(const Model& model, size_t subgraph,
                                           absl::Span<const GivenShape> given);

// Returns the shapes of all tensors, of which `given` has some of `subgraph`. A
// subgraph that no operator calls has inputs as it declares them. Where two
// calls of a subgraph have different shapes, or no kernel knows a shape, the
// tensor has the shape that the model declares. Error: InvalidArgument, naming
// the tensor, if an operator computes another shape than the given one.
absl::StatusOr<KnownShapes> FindKnownShapes(const Model& model,
                                            const OperatorResolver& resolver,
                                            size_t subgraph,
                                            const GivenTensors& given);

// Returns the given shapes, and those of tensors that operators without a
// kernel write, as far as they follow from the shapes of the inputs. An input
// without a given shape has the one that the model declares. This is what a run
// with shadows needs (InterpreterOptions::shapes). Errors: those of
// FindKnownShapes.
absl::StatusOr<GivenTensors> ShapesForShadows(const Model& model,
                                              const OperatorResolver& resolver,
                                              size_t subgraph,
                                              const GivenTensors& given);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_GIVEN_SHAPES_H_
