// SPDX-License-Identifier: Apache-2.0
// Replaces the nodes that a delegate claims by nodes of the delegate.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/call_delegate.h"
#include "src/harness/claim_nodes.h"
#include "src/harness/delegate_view.h"
#include "src/harness/delegated_node.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/partition.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

std::vector<size_t> GraphTensors(absl::Span<const int> tensors) {
  return {tensors.begin(), tensors.end()};
}

OperatorSpec SpecOfStep(const std::string& name,
                        const std::vector<size_t>& reads,
                        const std::vector<size_t>& writes) {
  OperatorSpec spec;
  spec.name = name;
  spec.is_custom = true;
  spec.inputs = reads;
  spec.outputs = writes;
  return spec;
}

absl::StatusOr<std::unique_ptr<DelegatedNode>> CreateNode(
    const RunningGraph& graph, Delegate* delegate, const DelegateInfo& info,
    const GraphPartition& part, size_t id) {
  auto node = std::make_unique<DelegatedNode>();
  node->delegate = delegate;
  node->info = info;
  node->replaced = part.nodes;
  node->partition.node = static_cast<int>(id);
  node->partition.inputs = GraphTensors(part.inputs);
  node->partition.outputs = GraphTensors(part.outputs);
  const DelegateView view(&graph, info);
  for (const int replaced : part.nodes) {
    // This DEQUANTIZE node is hidden from the kernel, because the kernel reads
    // the FLOAT16 constant directly, and nothing outside the kernel reads the
    // result of the node.
    if (info.reads_float16_constants && IsFloat16Dequantize(graph, replaced) &&
        !absl::c_linear_search(node->partition.outputs,
                               view.node(replaced).outputs[0])) {
      continue;
    }
    node->partition.nodes.push_back(replaced);
  }
  absl::StatusOr<std::unique_ptr<DelegateKernel>> kernel = CallGuarded(
      "CreateKernel",
      [&] { return delegate->CreateKernel(view, node->partition); });
  if (!kernel.ok()) return kernel.status();
  if (*kernel == nullptr) {
    return absl::InternalError("CreateKernel returned null; expected a kernel");
  }
  node->kernel = *std::move(kernel);
  absl::Status status = CallGuarded("Steps", [&] {
    node->steps = node->kernel->Steps();
    return absl::OkStatus();
  });
  if (status.ok()) status = CheckSteps(*node, view);
  if (!status.ok()) return status;
  node->spec = SpecOfStep(absl::StrCat("DELEGATE ", info.name),
                          node->partition.inputs, node->partition.outputs);
  for (const PartitionStep& step : node->steps) {
    node->step_specs.push_back(SpecOfStep(
        absl::StrCat(info.name, " ", step.name), step.reads, step.writes));
  }
  return node;
}

}  // namespace

absl::optional<size_t> Float16Dequantize(const RunningGraph& graph,
                                         size_t tensor) {
  const SubgraphSpec& spec = graph.spec();
  if (!spec.tensors[tensor].is_folded ||
      spec.tensors[tensor].type != ElementType::kFloat32) {
    return absl::nullopt;
  }
  const absl::optional<size_t> op = spec.ProducerOf(tensor);
  if (!op) return absl::nullopt;
  const OperatorSpec& producer = spec.operators[*op];
  if (producer.is_custom || producer.name != "DEQUANTIZE" ||
      producer.inputs.size() != 1 || producer.inputs[0] == kAbsent) {
    return absl::nullopt;
  }
  const TensorSpec& source = spec.tensors[producer.inputs[0]];
  if (source.is_constant && source.type == ElementType::kFloat16) return op;
  return absl::nullopt;
}

bool IsFloat16Dequantize(const RunningGraph& graph, int id) {
  const OperatorSpec& spec = *graph.nodes()[static_cast<size_t>(id)].spec;
  return spec.outputs.size() == 1 && spec.outputs[0] != kAbsent &&
         spec.outputs[0] < graph.spec().tensors.size() &&
         Float16Dequantize(graph, spec.outputs[0]) == static_cast<size_t>(id);
}

absl::Status CheckSteps(const DelegatedNode& node, const DelegateGraph& graph) {
  if (node.steps.empty()) return absl::OkStatus();
  std::set<size_t> inside;
  for (const int id : node.replaced) {
    const OperatorSpec& spec = graph.node(id);
    inside.insert(spec.outputs.begin(), spec.outputs.end());
  }
  std::set<size_t> known(node.partition.inputs.begin(),
                         node.partition.inputs.end());
  std::set<size_t> written;
  for (size_t i = 0; i < node.steps.size(); ++i) {
    const auto refuse = [&](absl::string_view what, size_t tensor,
                            absl::string_view expected) {
      return absl::InvalidArgumentError(
          absl::StrCat("step ", i, " (", node.steps[i].name, ") ", what,
                       " tensor ", tensor, "; expected ", expected));
    };
    for (const size_t t : node.steps[i].reads) {
      const bool is_constant =
          t < graph.spec().tensors.size() && graph.tensor(t).is_constant();
      if (!is_constant && known.count(t) == 0) {
        return refuse("reads", t,
                      "an input of the partition, a constant, or what an "
                      "earlier step writes");
      }
    }
    for (const size_t t : node.steps[i].writes) {
      if (t == kAbsent || inside.count(t) == 0 || !written.insert(t).second) {
        return refuse("writes", t,
                      "an output of a node of the partition, once");
      }
      known.insert(t);
    }
  }
  for (const size_t t : node.partition.outputs) {
    if (written.count(t) > 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("no step writes tensor ", t,
                     "; expected all outputs of the partition"));
  }
  return absl::OkStatus();
}

absl::Status RunningGraph::Replace(Delegate* delegate, const DelegateInfo& info,
                                   const ApplyOptions& apply,
                                   const ReplaceOptions& options) {
  const absl::StatusOr<std::vector<GraphPartition>> parts =
      PartitionClaims(*this, delegate, info, apply, options.fuse);
  if (!parts.ok()) return parts.status();
  if (parts->empty()) return absl::OkStatus();
  const bool was_prepared = always_prepared() == tasks_.size();
  const size_t first_new = nodes_.size();
  std::vector<int> plan;
  for (const GraphPartition& part : *parts) {
    if (!part.delegated) {
      plan.insert(plan.end(), part.nodes.begin(), part.nodes.end());
      continue;
    }
    const size_t id = nodes_.size();
    absl::StatusOr<std::unique_ptr<DelegatedNode>> created =
        CreateNode(*this, delegate, info, part, id);
    if (!created.ok()) {
      return AtPlace(absl::StrCat("delegate node ", id), created.status());
    }
    Node node;
    node.delegated = *std::move(created);
    node.spec = &node.delegated->spec;
    for (const int replaced : part.nodes) {
      const Node& other = nodes_[static_cast<size_t>(replaced)];
      node.delegated->has_side_effects = node.delegated->has_side_effects ||
                                         HasEffect(*other.spec, tensors_) ||
                                         CallsSubgraphs(*other.spec);
    }
    nodes_.push_back(std::move(node));
    plan.push_back(static_cast<int>(id));
  }
  SetPlan(std::move(plan));
  return was_prepared ? PrepareAdded(first_new, options.stays_static)
                      : Prepare();
}

// Prepares the new nodes from `first_new` on. Requires that all other nodes of
// the graph are prepared.
absl::Status RunningGraph::PrepareAdded(size_t first_new, bool stays_static) {
  std::string changed;
  for (size_t id = first_new; id < nodes_.size(); ++id) {
    const std::vector<size_t>& outputs = nodes_[id].spec->outputs;
    std::vector<Shape> before;
    before.reserve(outputs.size());
    for (const size_t t : outputs) before.push_back(tensors_[t].shape);
    absl::Status status = PrepareDelegated(id, true);
    if (!status.ok()) {
      return AtPlace(absl::StrCat("delegate node ", id), status);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (tensors_[outputs[i]].shape == before[i]) continue;
      changed = absl::StrCat("changes the shape of tensor ", outputs[i]);
    }
  }
  prepared_ = tasks_.size();
  before_run_ = {prepared_, tensors_.size()};
  if (FirstDynamicTask()) changed = "makes a tensor dynamic";
  if (changed.empty()) return absl::OkStatus();
  if (stays_static) {
    return absl::FailedPreconditionError(
        absl::StrCat(changed,
                     "; expected unchanged static shapes, since an applied "
                     "delegate does not allow dynamic tensors"));
  }
  // The nodes that read the tensor were prepared for a different shape, so all
  // nodes are prepared again. If a node makes a tensor dynamic, the nodes after
  // it are prepared only when the shape of the tensor is known.
  return Prepare();
}

}  // namespace stowage::harness
