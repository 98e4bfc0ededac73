// SPDX-License-Identifier: Apache-2.0
// Queries which nodes of a graph a delegate claims, and partitions the graph
// accordingly.
#include "src/harness/claim_nodes.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
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
#include "stowage/harness/delegate.h"
#include "stowage/harness/partition.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/side_effects.h"

namespace stowage::harness {
namespace {

// Returns the tensors in the form that PartitionGraph expects, with -1 for an
// absent tensor.
std::vector<int> PartitionTensors(absl::Span<const size_t> tensors) {
  std::vector<int> result;
  result.reserve(tensors.size());
  for (const size_t t : tensors) {
    result.push_back(t == kAbsent ? -1 : static_cast<int>(t));
  }
  return result;
}

// Inserts the tensor into a sorted list unless the list already contains it.
void InsertSorted(size_t tensor, std::vector<int>* tensors) {
  const auto t = static_cast<int>(tensor);
  const auto place = absl::c_lower_bound(*tensors, t);
  if (place == tensors->end() || *place != t) tensors->insert(place, t);
}

// Collects the claims of one delegate and partitions the graph by them.
class Claims {
 public:
  Claims(const RunningGraph& graph, Delegate* delegate,
         const DelegateInfo& info, const ApplyOptions& options, bool fuse)
      : graph_(graph),
        delegate_(*delegate),
        info_(info),
        options_(options),
        fuse_(fuse) {}

  // Returns the parts of the graph in the order in which they run, or no parts
  // if the delegate claims no node.
  absl::StatusOr<std::vector<GraphPartition>> Partition();

 private:
  absl::Status AskDelegate();
  absl::Status CheckClaims() const;
  absl::Status KeepListed();
  void LeaveCalls();
  bool HasSideEffects(const Node& node) const;
  std::set<size_t> VariablesOf(const OperatorSpec& spec) const;
  std::set<size_t> SharedVariables() const;
  absl::optional<std::vector<std::pair<int, int>>> ControlEdges() const;
  PartitionRequest Request() const;
  void ReadFloat16(PartitionRequest* request) const;
  void TakeFloat16(std::vector<GraphPartition>* parts) const;
  void AddWrittenVariables(std::vector<GraphPartition>* parts) const;

  const RunningGraph& graph_;
  Delegate& delegate_;
  const DelegateInfo& info_;
  const ApplyOptions& options_;
  bool fuse_;
  std::vector<int> claims_;
  std::set<int> float16_;  // the DEQUANTIZE nodes that were claimed
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

// Removes all calls that pass arguments from the claims, because the
// interpreter plans the memory of all called subgraphs together. The delegate
// can still claim operators inside the called subgraphs.
void Claims::LeaveCalls() {
  const auto is_call = [&](int id) {
    return PassesArguments(*graph_.nodes()[static_cast<size_t>(id)].spec);
  };
  claims_.erase(std::remove_if(claims_.begin(), claims_.end(), is_call),
                claims_.end());
}

// Returns the variables that the operator reads or writes.
std::set<size_t> Claims::VariablesOf(const OperatorSpec& spec) const {
  std::set<size_t> variables;
  for (const auto* tensors : {&spec.inputs, &spec.outputs}) {
    for (const size_t t : *tensors) {
      if (t != kAbsent && graph_.spec().tensors[t].is_variable) {
        variables.insert(t);
      }
    }
  }
  return variables;
}

// Returns the variables that more than one node of the execution plan uses.
// Nodes that use such a variable must keep their order, because one may read a
// value that another one has written.
std::set<size_t> Claims::SharedVariables() const {
  std::map<size_t, size_t> uses;
  for (const int id : graph_.execution_plan()) {
    const OperatorSpec& spec = *graph_.nodes()[static_cast<size_t>(id)].spec;
    for (const size_t t : VariablesOf(spec)) ++uses[t];
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
  return stowage::HasSideEffects(graph_.spec(), *node.spec);
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
    for (const size_t t : VariablesOf(*node.spec)) {
      if (variables.count(t) > 0) described.has_side_effects = true;
      absl::c_replace(described.outputs, static_cast<int>(t), -1);
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

// Returns the control edges of the model, as pairs of positions in the current
// execution plan.
absl::optional<std::vector<std::pair<int, int>>> Claims::ControlEdges() const {
  if (!graph_.spec().control_edges) return absl::nullopt;
  std::map<size_t, int> positions;  // the position of each operator
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

// Makes claimed nodes read float16 constants directly instead of the results of
// the DEQUANTIZE nodes that convert these constants.
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

// Moves DEQUANTIZE nodes of float16 constants into delegated parts. If only
// delegated nodes read the result of such a node, it is moved to the first
// delegated part that reads the result. If other nodes read the result as well,
// a claimed DEQUANTIZE node is moved to the last delegated part before those
// nodes. No part consists of DEQUANTIZE nodes alone.
void Claims::TakeFloat16(std::vector<GraphPartition>* parts) const {
  if (!info_.reads_float16_constants || !fuse_) return;
  // For each tensor, the first delegated part that reads it.
  std::map<size_t, GraphPartition*> readers;
  // For each tensor, the last delegated part before the first non-delegated
  // node that reads the tensor; null if there is no such part.
  std::map<size_t, GraphPartition*> before_others;
  GraphPartition* last = nullptr;
  for (GraphPartition& part : *parts) {
    if (part.delegated) last = &part;
    for (const int id : part.nodes) {
      for (const size_t t :
           graph_.nodes()[static_cast<size_t>(id)].spec->inputs) {
        (part.delegated ? readers : before_others).emplace(t, last);
      }
    }
  }
  for (GraphPartition& part : *parts) {
    const auto is_taken = [&](int id) {
      if (part.delegated || !IsFloat16Dequantize(graph_, id) ||
          (options_.claim && !absl::c_linear_search(*options_.claim, id))) {
        return false;
      }
      const OperatorSpec& spec = *graph_.nodes()[static_cast<size_t>(id)].spec;
      const auto others = before_others.find(spec.outputs[0]);
      if (others != before_others.end()) {
        if (others->second == nullptr || float16_.count(id) == 0) return false;
        others->second->nodes.push_back(id);
        InsertSorted(spec.inputs[0], &others->second->inputs);
        InsertSorted(spec.outputs[0], &others->second->outputs);
        return true;
      }
      const auto reader = readers.find(spec.outputs[0]);
      if (reader == readers.end()) return false;
      reader->second->nodes.push_back(id);
      return true;
    };
    part.nodes.erase(
        std::remove_if(part.nodes.begin(), part.nodes.end(), is_taken),
        part.nodes.end());
  }
}

// Adds the variables that the nodes of a part write to the outputs of the part.
// PartitionGraph does not treat variables as outputs, because a node may read a
// variable before the node that writes it, to get the value from the previous
// invocation.
void Claims::AddWrittenVariables(std::vector<GraphPartition>* parts) const {
  for (GraphPartition& part : *parts) {
    for (const int id : part.nodes) {
      for (const size_t t :
           graph_.nodes()[static_cast<size_t>(id)].spec->outputs) {
        if (t == kAbsent || !graph_.spec().tensors[t].is_variable) continue;
        part.outputs.push_back(static_cast<int>(t));
      }
    }
    absl::c_sort(part.outputs);
    part.outputs.erase(std::unique(part.outputs.begin(), part.outputs.end()),
                       part.outputs.end());
  }
}

absl::StatusOr<std::vector<GraphPartition>> Claims::Partition() {
  absl::Status status = AskDelegate();
  if (status.ok()) status = CheckClaims();
  if (status.ok()) status = KeepListed();
  if (!status.ok()) return status;
  LeaveCalls();
  if (info_.reads_float16_constants) {
    // A DEQUANTIZE node of a float16 constant is replaced together with the
    // nodes that read its result, and never forms a part by itself.
    const auto is_float16 = [&](int id) {
      return IsFloat16Dequantize(graph_, id);
    };
    absl::c_copy_if(claims_, std::inserter(float16_, float16_.end()),
                    is_float16);
    claims_.erase(std::remove_if(claims_.begin(), claims_.end(), is_float16),
                  claims_.end());
  }
  PartitionRequest request = Request();
  ReadFloat16(&request);
  absl::StatusOr<std::vector<int>> limited =
      LimitClaims(request, options_.limits.value_or(info_.limits));
  if (!limited.ok()) return limited.status();
  claims_ = *std::move(limited);
  if (claims_.empty()) return std::vector<GraphPartition>();
  request = Request();
  ReadFloat16(&request);
  absl::StatusOr<std::vector<GraphPartition>> parts = PartitionGraph(request);
  if (!parts.ok()) return parts.status();
  TakeFloat16(&*parts);
  AddWrittenVariables(&*parts);
  return parts;
}

}  // namespace

absl::StatusOr<std::vector<GraphPartition>> PartitionClaims(
    const RunningGraph& graph, Delegate* delegate, const DelegateInfo& info,
    const ApplyOptions& options, bool fuse) {
  return Claims(graph, delegate, info, options, fuse).Partition();
}

}  // namespace stowage::harness
