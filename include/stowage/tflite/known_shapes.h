// SPDX-License-Identifier: Apache-2.0
// Replaces the shapes that a model declares, and finds the extents that a model
// leaves open. A model marks an open extent as unknown but declares it as 1, so
// a plan for the declared shape is too small for any larger extent. To compute
// the shapes of all tensors from the shapes of the inputs, use
// harness/given_shapes.h.
//
//   const KnownShapes shapes = {{{0, 3}, {{1, 224, 224, 3}}}};
//   const std::unique_ptr<const Model> known = model.WithShapes(shapes);
#ifndef STOWAGE_TFLITE_KNOWN_SHAPES_H_
#define STOWAGE_TFLITE_KNOWN_SHAPES_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/tflite/element_type.h"

namespace stowage {

struct SubgraphSpec;
struct TensorSpec;

struct KnownShape {
  Shape shape;
  // True if an extent of `shape` is a guess, because it depends on an open
  // extent of the model for which no shape was given.
  bool is_open = false;
};

// The shape of each tensor. The key is the index of a subgraph and the index of
// a tensor in this subgraph.
using KnownShapes = std::map<std::pair<size_t, size_t>, KnownShape>;

// Returns whether the model leaves an extent of the tensor open.
bool HasOpenExtent(const TensorSpec& tensor);

// Returns whether the rank of the tensor may be unknown. In a file, a tensor of
// unknown rank and a scalar both have an empty shape. If at least one tensor of
// the graph is marked as having a rank (TensorSpec::has_rank), a tensor with an
// empty shape and without this mark has an unknown rank. If no tensor is
// marked, an empty shape means a scalar, except for outputs of custom
// operators, since converters do not know which ranks custom operators compute.
bool MayLackRank(const SubgraphSpec& graph, const TensorSpec& tensor,
                 bool is_of_custom_operator);

// Replaces the shapes of the tensors of subgraph `index`. If a new shape is not
// open (KnownShape::is_open), it closes all extents of its tensor. If a new
// shape is open, the extents of the tensor that were open stay open; if no
// extent was open, or if the rank changes, all extents become open. Constants
// keep their shapes. Every new shape must have fewer than 2^64 bytes.
void ReplaceShapes(const KnownShapes& shapes, size_t index,
                   SubgraphSpec* graph);

// The tensors with open extents. The plan of these tensors is based on a guess:
// an extent that the model leaves open counts as 1, and operators compute other
// open extents from this 1.
struct OpenShapes {
  size_t tensors = 0;
  size_t records = 0;  // the number of records of these tensors
  // The first of these tensors and its extents in the model, such as `subgraph
  // 0, tensor 3 "image": [-1, 224, 224, 3]`. Empty if no tensor has open
  // extents.
  std::string first;
  // The name and the planned shape of each of these tensors that is an input of
  // the graph: "image=1x224x224x3".
  std::vector<std::string> inputs;
};

// Adds to `open` the tensors of a graph for which `is_open` returns true,
// except constants. OpenShapes::first refers to the graph as `place`. `records`
// has the tensor of each record; indices beyond the tensors of the graph are
// ignored.
void AddOpenShapes(absl::string_view place, const SubgraphSpec& graph,
                   absl::Span<const size_t> records,
                   const std::function<bool(size_t tensor)>& is_open,
                   OpenShapes* open);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_KNOWN_SHAPES_H_
