// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/known_shapes.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"

namespace stowage {

bool HasOpenExtent(const TensorSpec& tensor) {
  return absl::c_linear_search(tensor.signature, -1);
}

bool MayLackRank(const SubgraphSpec& graph, const TensorSpec& tensor,
                 bool is_of_custom_operator) {
  if (!tensor.shape.empty() || tensor.has_rank) return false;
  return is_of_custom_operator ||
         absl::c_any_of(graph.tensors,
                        [](const TensorSpec& t) { return t.has_rank; });
}

void ReplaceShapes(const KnownShapes& shapes, size_t index,
                   SubgraphSpec* graph) {
  for (auto it = shapes.lower_bound({index, 0});
       it != shapes.end() && it->first.first == index; ++it) {
    const auto& [key, known] = *it;
    if (key.second >= graph->tensors.size()) break;
    TensorSpec& tensor = graph->tensors[key.second];
    if (tensor.is_constant) continue;
    tensor.shape = known.shape;
    tensor.bytes = TensorBytes(tensor.type, known.shape).value_or(0);
    const bool keeps_signature =
        known.is_open && tensor.signature.size() == known.shape.size() &&
        HasOpenExtent(tensor);
    if (keeps_signature) continue;
    tensor.signature =
        known.is_open ? Shape(known.shape.size(), -1) : known.shape;
  }
}

void AddOpenShapes(absl::string_view place, const SubgraphSpec& graph,
                   absl::Span<const size_t> records,
                   const std::function<bool(size_t tensor)>& is_open,
                   OpenShapes* open) {
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const TensorSpec& tensor = graph.tensors[t];
    if (tensor.is_constant || !is_open(t)) continue;
    ++open->tensors;
    if (!open->first.empty()) continue;
    open->first = absl::StrCat(
        place, ", ", graph.TensorPlace(t), ": ",
        HasOpenExtent(tensor)
            ? ShapeText(tensor.signature)
            : absl::StrCat(ShapeText(tensor.shape), ", of unknown extents"));
  }
  for (const size_t t : records) {
    if (t < graph.tensors.size() && is_open(t)) ++open->records;
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const TensorSpec& tensor = graph.tensors[graph.inputs[i]];
    if (!is_open(graph.inputs[i])) continue;
    open->inputs.push_back(
        absl::StrCat(tensor.name.empty() ? absl::StrCat(i) : tensor.name, "=",
                     absl::StrJoin(tensor.shape, "x")));
  }
}

std::unique_ptr<const Model> Model::WithShapes(
    const KnownShapes& shapes) const {
  // std::make_unique cannot call the private constructor.
  std::unique_ptr<Model> copy(new Model());
  copy->name_ = name_;
  copy->bytes_ = bytes_;
  copy->description_ = description_;
  copy->subgraphs_ = subgraphs_;
  copy->signatures_ = signatures_;
  copy->metadata_ = metadata_;
  copy->owned_ = owned_;
  for (size_t i = 0; i < copy->subgraphs_.size(); ++i) {
    ReplaceShapes(shapes, i, &copy->subgraphs_[i]);
  }
  return copy;
}

}  // namespace stowage
