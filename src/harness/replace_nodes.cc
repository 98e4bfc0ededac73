// SPDX-License-Identifier: Apache-2.0
// How a delegate is asked about a graph, and its nodes put in the place of
// those that it claims.
#include <algorithm>
#include <cstddef>
#include <map>
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
#include "src/harness/delegate_view.h"
#include "src/harness/delegated_node.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/partition.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// -1 for a tensor that is left out.
std::vector<int> PartitionTensors(absl::Span<const size_t> tensors) {
  std::vector<int> result;
  result.reserve(tensors.size());
  for (const size_t t : tensors) {
    result.push_back(t == kAbsent ? -1 : static_cast<int>(t));
  }
  return result;
}

std::vector<size_t> GraphTensors(absl::Span<const int> tensors) {
  return {tensors.begin(), tensors.end()};
}

bool CallsSubgraphs(const OperatorSpec& spec) {
  return !spec.is_custom && (spec.name == "IF" || spec.name == "WHILE" ||
                             spec.name == "CALL_ONCE");
}

// The claims of one delegate, on their way to a partition of the graph.
class Claims {
 public:
  Claims(const RunningGraph& graph, Delegate* delegate,
         const DelegateInfo& info, const ApplyOptions& options, bool fuse)
      : graph_(graph),
        delegate_(*delegate),
        info_(info),
        options_(options),
        fuse_(fuse) {}

  // The parts of the graph, in order of execution; none if nothing is claimed.
  absl::StatusOr<std::vector<GraphPartition>> Partition();

 private:
  absl::Status AskDelegate();
  absl::Status CheckClaims() const;
  absl::Status KeepListed();
  bool HasSideEffects(const Node& node) const;
  std::set<size_t> SharedVariables() const;
  absl::optional<std::vector<std::pair<int, int>>> ControlEdges() const;
  PartitionRequest Request() const;
  void ReadFloat16(PartitionRequest* request) const;
  void ClaimFloat16();

  const RunningGraph& graph_;
  Delegate& delegate_;
  const DelegateInfo& info_;
  const ApplyOptions& options_;
  bool fuse_;
  std::vector<int> claims_;
};

absl::Status Claims::AskDelegate() {
  const DelegateView view(&graph_, info_);
  absl::Status status =
      CallGuarded("Prepare", [&] { return delegate_.Prepare(view); });
  if (!status.ok()) return status;
  absl::StatusOr<std::vector<int>> claims =
      CallGuarded("ClaimNodes", [&] { return delegate_.ClaimNodes(view); });
  if (!claims.ok()) return claims.status();
  claims_ = *std::move(claims);
  return absl::OkStatus();
}

absl::Status Claims::CheckClaims() const {
  const std::set<int> plan(graph_.execution_plan().begin(),
                           graph_.execution_plan().end());
  std::set<int> seen;
  for (const int id : claims_) {
    std::string why;
    if (plan.count(id) == 0) {
      why = "which is not in the execution plan";
    } else if (graph_.nodes()[static_cast<size_t>(id)].delegated != nullptr) {
      why = "which another delegate runs";
    } else if (!seen.insert(id).second) {
      why = "twice";
    } else {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("claims node ", id, " ", why,
                     "; expected operators of the plan, each once"));
  }
  return absl::OkStatus();
}

absl::Status Claims::KeepListed() {
  if (!options_.claim) return absl::OkStatus();
  const std::set<int> listed(options_.claim->begin(), options_.claim->end());
  const auto operators = static_cast<int>(graph_.spec().operators.size());
  for (const int id : listed) {
    if (id >= 0 && id < operators) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("node ", id, " in the list of nodes to claim; expected ",
                     "ids from 0 to ", operators - 1));
  }
  const auto is_other = [&](int id) { return listed.count(id) == 0; };
  claims_.erase(std::remove_if(claims_.begin(), claims_.end(), is_other),
                claims_.end());
  return absl::OkStatus();
}

// Variables that more than one node of the plan uses: what one leaves in them
// is for the next.
std::set<size_t> Claims::SharedVariables() const {
  std::map<size_t, size_t> uses;
  for (const int id : graph_.execution_plan()) {
    const OperatorSpec& spec = *graph_.nodes()[static_cast<size_t>(id)].spec;
    const std::set<size_t> inputs(spec.inputs.begin(), spec.inputs.end());
    for (const size_t t : inputs) {
      if (t != kAbsent && graph_.spec().tensors[t].is_variable) ++uses[t];
    }
  }
  std::set<size_t> shared;
  for (const auto& [tensor, count] : uses) {
    if (count > 1) shared.insert(tensor);
  }
  return shared;
}

bool Claims::HasSideEffects(const Node& node) const {
  if (node.delegated != nullptr && node.delegated->has_side_effects) {
    return true;
  }
  const auto is_resource = [&](size_t t) {
    return t != kAbsent &&
           graph_.spec().tensors[t].type == ElementType::kResource;
  };
  return CallsSubgraphs(*node.spec) ||
         absl::c_any_of(node.spec->inputs, is_resource) ||
         absl::c_any_of(node.spec->outputs, is_resource);
}

PartitionRequest Claims::Request() const {
  PartitionRequest request;
  const SubgraphSpec& spec = graph_.spec();
  request.tensor_count = static_cast<int>(spec.tensors.size());
  request.graph_inputs = PartitionTensors(spec.inputs);
  request.graph_outputs = PartitionTensors(spec.outputs);
  const std::set<size_t> variables = SharedVariables();
  for (const Node& node : graph_.nodes()) {
    PartitionNode described = {PartitionTensors(node.spec->inputs),
                               PartitionTensors(node.spec->outputs),
                               HasSideEffects(node)};
    for (const size_t t : node.spec->inputs) {
      if (variables.count(t) > 0) described.has_side_effects = true;
    }
    request.nodes.push_back(std::move(described));
  }
  request.execution_plan.assign(graph_.execution_plan().begin(),
                                graph_.execution_plan().end());
  request.claims = claims_;
  request.fuse = fuse_;
  request.control_edges = ControlEdges();
  return request;
}

// Those of the model, between the places that its operators have in the plan by
// now.
absl::optional<std::vector<std::pair<int, int>>> Claims::ControlEdges() const {
  if (!graph_.spec().control_edges) return absl::nullopt;
  std::map<size_t, int> positions;  // by operator
  const absl::Span<const int> plan = graph_.execution_plan();
  for (size_t i = 0; i < plan.size(); ++i) {
    const auto position = static_cast<int>(i);
    const auto id = static_cast<size_t>(plan[i]);
    positions[id] = position;
    const DelegatedNode* const node = graph_.nodes()[id].delegated.get();
    if (node == nullptr) continue;
    for (const int replaced : node->replaced) {
      positions[static_cast<size_t>(replaced)] = position;
    }
  }
  std::vector<std::pair<int, int>> edges;
  for (const ControlEdge& edge : *graph_.spec().control_edges) {
    const int before = positions[edge.before];
    const int after = positions[edge.after];
    if (before != after) edges.emplace_back(before, after);
  }
  return edges;
}

// Claimed nodes read the constants of float16.
void Claims::ReadFloat16(PartitionRequest* request) const {
  if (!info_.reads_float16_constants) return;
  for (const int id : claims_) {
    for (int& t : request->nodes[static_cast<size_t>(id)].inputs) {
      if (t < 0) continue;
      const auto op = Float16Dequantize(graph_, static_cast<size_t>(t));
      if (op) t = static_cast<int>(graph_.spec().operators[*op].inputs[0]);
    }
  }
}

// Adds each DEQUANTIZE whose result claimed nodes alone would read.
void Claims::ClaimFloat16() {
  if (!info_.reads_float16_constants) return;
  const std::set<int> claimed(claims_.begin(), claims_.end());
  std::set<size_t> needed(graph_.spec().outputs.begin(),
                          graph_.spec().outputs.end());
  for (const int id : graph_.execution_plan()) {
    if (claimed.count(id) > 0) continue;
    const auto& inputs = graph_.nodes()[static_cast<size_t>(id)].spec->inputs;
    needed.insert(inputs.begin(), inputs.end());
  }
  for (const int id : graph_.execution_plan()) {
    const OperatorSpec& spec = *graph_.nodes()[static_cast<size_t>(id)].spec;
    if (claimed.count(id) > 0 || spec.outputs.size() != 1 ||
        spec.outputs[0] == kAbsent || needed.count(spec.outputs[0]) > 0 ||
        (options_.claim && !absl::c_linear_search(*options_.claim, id)) ||
        Float16Dequantize(graph_, spec.outputs[0]) != static_cast<size_t>(id)) {
      continue;
    }
    claims_.push_back(id);
  }
}

absl::StatusOr<std::vector<GraphPartition>> Claims::Partition() {
  absl::Status status = AskDelegate();
  if (status.ok()) status = CheckClaims();
  if (status.ok()) status = KeepListed();
  if (!status.ok()) return status;
  PartitionRequest request = Request();
  ReadFloat16(&request);
  absl::StatusOr<std::vector<int>> limited =
      LimitClaims(request, options_.limits.value_or(info_.limits));
  if (!limited.ok()) return limited.status();
  claims_ = *std::move(limited);
  if (claims_.empty()) return std::vector<GraphPartition>();
  request = Request();
  ReadFloat16(&request);
  ClaimFloat16();
  request.claims = claims_;
  return PartitionGraph(request);
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
    const OperatorSpec& spec = view.node(replaced);
    const bool is_float16 = spec.outputs.size() == 1 &&
                            spec.outputs[0] != kAbsent &&
                            view.Float16Source(spec.outputs[0]) != kAbsent;
    if (!is_float16) node->partition.nodes.push_back(replaced);
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
  for (size_t op = 0; op < spec.operators.size(); ++op) {
    const OperatorSpec& candidate = spec.operators[op];
    if (!absl::c_linear_search(candidate.outputs, tensor)) continue;
    if (candidate.is_custom || candidate.name != "DEQUANTIZE" ||
        candidate.inputs.size() != 1 || candidate.inputs[0] == kAbsent) {
      return absl::nullopt;
    }
    const TensorSpec& source = spec.tensors[candidate.inputs[0]];
    if (source.is_constant && source.type == ElementType::kFloat16) return op;
    return absl::nullopt;
  }
  return absl::nullopt;
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
                                   const ApplyOptions& options, bool fuse) {
  const absl::StatusOr<std::vector<GraphPartition>> parts =
      Claims(*this, delegate, info, options, fuse).Partition();
  if (!parts.ok()) return parts.status();
  if (parts->empty()) return absl::OkStatus();
  const bool was_prepared = always_prepared_ == tasks_.size();
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
                                         HasEffect(*other.spec) ||
                                         CallsSubgraphs(*other.spec);
    }
    nodes_.push_back(std::move(node));
    plan.push_back(static_cast<int>(id));
  }
  SetPlan(std::move(plan));
  if (!was_prepared) return Prepare();
  for (size_t id = first_new; id < nodes_.size(); ++id) {
    absl::Status status = PrepareDelegated(id);
    if (!status.ok()) {
      return AtPlace(absl::StrCat("delegate node ", id), status);
    }
  }
  prepared_ = tasks_.size();
  always_prepared_ = prepared_;
  always_tensors_ = tensors_.size();
  if (!FirstDynamicTask()) return absl::OkStatus();
  // What comes after it is prepared when its shape is known.
  const auto is_of_static_kind = [](const Node& node) {
    return node.delegated != nullptr &&
           !node.delegated->info.allows_dynamic_tensors;
  };
  if (absl::c_any_of(nodes_, is_of_static_kind)) {
    return absl::FailedPreconditionError(
        "makes a tensor dynamic; expected none while a delegate that does not "
        "allow dynamic tensors is applied");
  }
  return Prepare();
}

}  // namespace stowage::harness
