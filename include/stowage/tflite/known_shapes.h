// SPDX-License-Identifier: Apache-2.0
// Shapes in place of those that a model declares, and the extents that a model
// leaves open. A model says of an open extent only that it is not known, and
// declares the extent 1 in its place; a plan for this shape is too small for
// any larger one. To find the shapes that operators compute from those of the
// inputs use harness/given_shapes.h.
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
  // True if an extent of `shape` is a guess, because the model leaves an extent
  // open that it follows from, and nobody has given that extent.
  bool is_open = false;
};

// Has the shapes of tensors by subgraph and tensor.
using KnownShapes = std::map<std::pair<size_t, size_t>, KnownShape>;

// Returns whether the model leaves an extent of the tensor open.
bool HasOpenExtent(const TensorSpec& tensor);

// Returns whether the rank of the tensor may be unknown. The model has an empty
// shape for such a tensor, but also for a scalar. If any tensor of the graph is
// marked as one that has a rank, an empty shape without this mark is unknown.
// If no tensor is marked, the output of a builtin operator is taken for a
// scalar. The rank of a custom operator's output may be unknown even then,
// since converters do not know which ranks custom operators compute.
bool MayLackRank(const SubgraphSpec& graph, const TensorSpec& tensor,
                 bool is_of_custom_operator);

// Replaces the shapes of the tensors of subgraph `index`. A tensor whose shape
// is open keeps its open extents, and those of other tensors are closed.
// Constants keep their shapes. A tensor must have fewer than 2^64 bytes.
void ReplaceShapes(const KnownShapes& shapes, size_t index,
                   SubgraphSpec* graph);

// The tensors whose open extents are planned as 1, or as what follows from
// that.
struct OpenShapes {
  size_t tensors = 0;
  size_t records = 0;  // the number of records of these tensors
  // The first of these tensors and its extents in the model, such as `subgraph
  // 0, tensor 3 "image": [-1, 224, 224, 3]`. It is empty if there is none.
  std::string first;
  // For each of these tensors that is an input of the graph, its name and the
  // shape that is planned: "image=1x224x224x3".
  std::vector<std::string> inputs;
};

// Adds the tensors of a graph for which `is_open` returns true. Constants are
// left out. `place` stands for the graph in OpenShapes::first, and `records`
// has the tensor of each record, or an index beyond those of the graph.
void AddOpenShapes(absl::string_view place, const SubgraphSpec& graph,
                   absl::Span<const size_t> records,
                   const std::function<bool(size_t tensor)>& is_open,
                   OpenShapes* open);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_KNOWN_SHAPES_H_
