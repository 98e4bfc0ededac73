// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/given_shapes.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/base/text.h"
#include "stowage/error_payload.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Returns the names of the inputs of a graph as text for a message.
std::string NamesOfInputs(const SubgraphSpec& graph) {
  std::string names;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    absl::StrAppend(&names, i > 0 ? ", " : "",
                    Quoted(graph.tensors[graph.inputs[i]].name));
  }
  return names.empty() ? "none, since there are no inputs" : names;
}

// Returns the tensors with the name `key`. If there are none, returns the
// inputs with this name in a signature.
std::set<size_t> TensorsNamed(const Model& model, size_t subgraph,
                              const std::string& key) {
  const SubgraphSpec& graph = model.subgraphs()[subgraph];
  std::set<size_t> found;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].name == key) found.insert(t);
  }
  if (!found.empty()) return found;
  for (const SignatureSpec& signature : model.signatures()) {
    if (signature.subgraph != subgraph) continue;
    for (const SignatureSpec::Argument& argument : signature.inputs) {
      if (argument.name == key) found.insert(argument.tensor);
    }
  }
  return found;
}

absl::StatusOr<size_t> FindGiven(const Model& model, size_t subgraph,
                                 const std::string& key) {
  const SubgraphSpec& graph = model.subgraphs()[subgraph];
  const std::set<size_t> named = TensorsNamed(model, subgraph, key);
  if (named.size() == 1) return *named.begin();
  if (named.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("names tensors ", *named.begin(), " and ", *named.rbegin(),
                     "; expected a number"));
  }
  size_t number = 0;
  if (absl::SimpleAtoi(key, &number) && number < graph.tensors.size()) {
    return number < graph.inputs.size() ? graph.inputs[number] : number;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "no such tensor; expected an input (", NamesOfInputs(graph),
      ", or a number from 0), or the name or number of another tensor below ",
      graph.tensors.size()));
}

// Checks that the model permits this shape.
absl::Status CheckGiven(const SubgraphSpec& graph, size_t t,
                        const Shape& shape) {
  constexpr absl::string_view kExpected =
      "; expected an input, or an output of an operator without a kernel";
  const TensorSpec& tensor = graph.tensors[t];
  if (tensor.is_constant || tensor.is_variable) {
    return absl::InvalidArgumentError(
        absl::StrCat(graph.TensorPlace(t), " is a ",
                     tensor.is_constant ? "constant" : "variable",
                     ", whose shape is fixed by the model", kExpected));
  }
  if (!tensor.is_scratch && !absl::c_linear_search(graph.inputs, t) &&
      !graph.ProducerOf(t)) {
    return absl::InvalidArgumentError(
        absl::StrCat("nothing writes ", graph.TensorPlace(t), kExpected));
  }
  const bool has_rank = tensor.has_rank || !tensor.shape.empty();
  const Shape& fixed = tensor.signature;
  bool fits = !has_rank || shape.size() == tensor.shape.size();
  for (size_t d = 0; fits && d < fixed.size(); ++d) {
    fits = fixed[d] == -1 || fixed[d] == shape[d];
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat(
        graph.TensorPlace(t), " is given ", ShapeText(shape), "; expected ",
        ShapeText(fixed.empty() ? tensor.shape : fixed),
        fixed.empty() ? " or as many dimensions" : ""));
  }
  return TensorBytes(tensor.type, shape).status();
}

}  // namespace

absl::StatusOr<GivenTensors> ResolveShapes(const Model& model, size_t subgraph,
                                           absl::Span<const GivenShape> given) {
  if (absl::Status s = model.CheckSubgraph(subgraph); !s.ok()) return s;
  const SubgraphSpec& graph = model.subgraphs()[subgraph];
  GivenTensors shapes;
  for (const GivenShape& each : given) {
    const std::string place =
        absl::StrCat(model.name(), ": subgraph ", subgraph, ": shape of '",
                     each.tensor, "'");
    const absl::StatusOr<size_t> tensor =
        FindGiven(model, subgraph, each.tensor);
    if (!tensor.ok()) return AtPlace(place, tensor.status());
    absl::Status status = CheckGiven(graph, *tensor, each.shape);
    if (status.ok() && !shapes.emplace(*tensor, each.shape).second) {
      status = absl::InvalidArgumentError(
          absl::StrCat(graph.TensorPlace(*tensor),
                       " is given twice; expected one shape for each tensor"));
    }
    if (!status.ok()) return WithTensor(AtPlace(place, status), *tensor);
  }
  return shapes;
}

}  // namespace stowage::harness
