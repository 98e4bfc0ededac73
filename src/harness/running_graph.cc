// SPDX-License-Identifier: Apache-2.0
#include "src/harness/running_graph.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stowage/error_payload.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

RunningGraph::RunningGraph(SharedState* shared, size_t index)
    : shared_(shared),
      index_(index),
      spec_(shared->model.subgraphs()[index]),
      tensors_(spec_, &shared->budget) {
  const auto is_folded = [&](size_t t) {
    return t == kAbsent || spec_.tensors[t].is_folded;
  };
  for (const OperatorSpec& op : spec_.operators) {
    Node node;
    node.spec = &op;
    node.registration = shared->resolver.Find(op.name, op.is_custom);
    if (shared->resolver.WhyUnsupported(op).empty()) {
      node.kernel = node.registration->create();
    }
    node.is_folded = node.registration != nullptr &&
                     node.registration->folds_constants &&
                     absl::c_all_of(op.outputs, is_folded);
    for (const size_t t : op.outputs) {
      if (node.is_folded && t != kAbsent) tensors_.SetFolded(t);
    }
    nodes_.push_back(std::move(node));
  }
}

std::string RunningGraph::Place() const {
  return absl::StrCat(shared_->model.name(), ": subgraph ", index_);
}

std::string RunningGraph::Place(size_t node) const {
  return absl::StrCat(Place(), ", ", spec_.OperatorPlace(node));
}

absl::Status RunningGraph::At(size_t node, const absl::Status& status) const {
  if (status.ok()) return status;
  return WithOperator(AtPlace(Place(node), status), node);
}

absl::Status RunningGraph::Prepare() {
  for (Node& node : nodes_) {
    node.temporaries.clear();
    node.data.clear();
  }
  tensors_.Reset();
  prepared_ = 0;
  absl::Status status = PrepareMore();
  always_prepared_ = prepared_;
  always_tensors_ = tensors_.size();
  return status;
}

absl::Status RunningGraph::PrepareMore() {
  bool is_dynamic = false;
  for (; prepared_ < nodes_.size() && !is_dynamic; ++prepared_) {
    const absl::Status status = PrepareNode(prepared_);
    if (!status.ok()) return At(prepared_, status);
    is_dynamic = absl::c_any_of(nodes_[prepared_].spec->outputs, [&](size_t t) {
      return t != kAbsent && tensors_[t].storage == Storage::kDynamic;
    });
  }
  return absl::OkStatus();
}

void RunningGraph::Rewind() {
  prepared_ = always_prepared_;
  tensors_.DropTemporaries(always_tensors_);
}

ArenaGraph RunningGraph::Describe() const {
  ArenaGraph graph;
  for (size_t t = 0; t < tensors_.size(); ++t) {
    graph.tensors.push_back({tensors_[t].bytes, tensors_[t].storage});
  }
  const auto& may_share = shared_->options.in_place;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    graph.nodes.push_back(
        {node.spec->inputs, node.spec->outputs, node.temporaries,
         may_share == nullptr || may_share(index_, i) ? node.in_place
                                                      : InPlace::kNever});
  }
  graph.inputs = spec_.inputs;
  graph.outputs = spec_.outputs;
  for (size_t t = 0; t < spec_.tensors.size(); ++t) {
    if (spec_.tensors[t].is_variable) graph.variables.push_back(t);
  }
  return graph;
}

}  // namespace stowage::harness
