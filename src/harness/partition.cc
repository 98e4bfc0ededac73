// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/partition.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage::harness {
namespace {

// Special values in `maker_` for tensors that no part has written.
constexpr int kGiven = -1;  // marks an input, a constant or a variable
// Marks a tensor that a node of the plan will write later.
constexpr int kPending = -2;

absl::Status CheckIndex(absl::string_view what, int index, int count,
                        absl::string_view of) {
  if (index >= 0 && index < count) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      what, ": there is no ", of, " ", index, "; expected ",
      count == 0 ? absl::StrCat("no ", of) : absl::StrCat("0 to ", count - 1)));
}

absl::Status CheckIndices(absl::string_view what,
                          const std::vector<int>& indices, int count,
                          absl::string_view of) {
  for (const int index : indices) {
    absl::Status status = CheckIndex(what, index, count, of);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckTensors(const std::string& what,
                          const std::vector<int>& tensors, int count) {
  for (const int tensor : tensors) {
    if (tensor == -1) continue;
    absl::Status status = CheckIndex(what, tensor, count, "tensor");
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckRequest(const PartitionRequest& request) {
  if (request.tensor_count < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor_count: ", request.tensor_count, "; expected 0 or more"));
  }
  const int nodes = static_cast<int>(request.nodes.size());
  for (int i = 0; i < nodes; ++i) {
    const PartitionNode& node = request.nodes[static_cast<size_t>(i)];
    for (const auto* tensors : {&node.inputs, &node.outputs}) {
      absl::Status status = CheckTensors(absl::StrCat("node ", i), *tensors,
                                         request.tensor_count);
      if (!status.ok()) return status;
    }
  }
  for (const absl::Status& status :
       {CheckTensors("graph_inputs", request.graph_inputs,
                     request.tensor_count),
        CheckTensors("graph_outputs", request.graph_outputs,
                     request.tensor_count),
        CheckIndices("execution_plan", request.execution_plan, nodes, "node"),
        CheckIndices("claims", request.claims, nodes, "node")}) {
    if (!status.ok()) return status;
  }
  if (!request.control_edges) return absl::OkStatus();
  const int length = static_cast<int>(request.execution_plan.size());
  for (const auto& [before, after] : *request.control_edges) {
    absl::Status status =
        CheckIndices("control_edges", {before, after}, length, "position");
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Collects the nodes of a plan into parts, one at a time, as they become ready.
// All functions of this class identify a node by its position in the plan.
class Partitioner {
 public:
  explicit Partitioner(const PartitionRequest& request)
      : request_(request),
        waits_for_(request.execution_plan.size(), 0),
        successors_(request.execution_plan.size()),
        is_claimed_(request.nodes.size(), false),
        maker_(static_cast<size_t>(request.tensor_count), kGiven) {}

  absl::StatusOr<std::vector<GraphPartition>> Run() {
    for (const int node : request_.claims) is_claimed_[Index(node)] = true;
    absl::Status status = LinkByTensors();
    if (!status.ok()) return status;
    LinkByControl();
    for (size_t at = 0; at < waits_for_.size(); ++at) {
      if (waits_for_[at] == 0) ready_[KindOf(at)].insert(at);
    }
    size_t placed = 0;
    while (!ready_[0].empty() || !ready_[1].empty()) placed += PlaceOne();
    if (placed < waits_for_.size()) return CycleError();
    for (const int tensor : request_.graph_outputs) Use(tensor);
    for (GraphPartition& part : parts_) {
      SortUnique(&part.inputs);
      SortUnique(&part.outputs);
    }
    return std::move(parts_);
  }

 private:
  static size_t Index(int i) { return static_cast<size_t>(i); }

  static void SortUnique(std::vector<int>* tensors) {
    absl::c_sort(*tensors);
    tensors->erase(std::unique(tensors->begin(), tensors->end()),
                   tensors->end());
  }

  const PartitionNode& NodeAt(size_t at) const {
    return request_.nodes[Index(request_.execution_plan[at])];
  }

  size_t KindOf(size_t at) const {
    return is_claimed_[Index(request_.execution_plan[at])] ? 1 : 0;
  }

  void Link(size_t before, size_t after) {
    successors_[before].push_back(after);
    ++waits_for_[after];
  }

  absl::Status LinkByTensors() {
    std::vector<size_t> writer(maker_.size(), kNobody);
    std::vector<bool> is_in_plan(request_.nodes.size(), false);
    for (size_t at = 0; at < waits_for_.size(); ++at) {
      const int node = request_.execution_plan[at];
      if (is_in_plan[Index(node)]) {
        return absl::InvalidArgumentError(absl::StrCat(
            "execution_plan: node ", node, " is in it twice; expected once"));
      }
      is_in_plan[Index(node)] = true;
      for (const int tensor : NodeAt(at).outputs) {
        if (tensor == -1) continue;
        if (maker_[Index(tensor)] == kPending) {
          return absl::InvalidArgumentError(absl::StrCat(
              "node ", node, ": node ",
              request_.execution_plan[writer[Index(tensor)]], " writes tensor ",
              tensor, ", too; expected one writer"));
        }
        maker_[Index(tensor)] = kPending;
        writer[Index(tensor)] = at;
      }
    }
    for (size_t at = 0; at < waits_for_.size(); ++at) {
      for (const int tensor : NodeAt(at).inputs) {
        if (tensor == -1 || writer[Index(tensor)] == kNobody) continue;
        Link(writer[Index(tensor)], at);
      }
    }
    return absl::OkStatus();
  }

  void LinkByControl() {
    if (request_.control_edges) {
      for (const auto& [before, after] : *request_.control_edges) {
        Link(Index(before), Index(after));
      }
      return;
    }
    if (!request_.greedy) return;
    size_t last = kNobody;
    for (size_t at = 0; at < waits_for_.size(); ++at) {
      if (!NodeAt(at).has_side_effects) continue;
      if (last != kNobody) Link(last, at);
      last = at;
    }
  }

  // Forms the next part and returns its number of nodes.
  size_t PlaceOne() {
    const auto first = [this](size_t kind) {
      return ready_[kind].empty() ? kNobody : *ready_[kind].begin();
    };
    const size_t kind = first(0) < first(1) ? 0 : 1;
    parts_.emplace_back();
    parts_.back().delegated = kind == 1;
    std::set<size_t>& ready = ready_[kind];
    size_t at = *ready.begin();
    Place(at);
    while (request_.fuse && !ready.empty()) {
      const bool is_last = at + 1 == waits_for_.size();
      auto next = ready.upper_bound(at);
      // If `greedy` is false, a part can only continue with the next node of
      // the plan. If this node is not ready or not of the same kind, the part
      // is complete.
      if (!request_.greedy && !is_last &&
          (next == ready.end() || *next != at + 1)) {
        break;
      }
      // After the end of the plan, the part continues with the first ready node
      // of the plan.
      if (next == ready.end()) next = ready.begin();
      at = *next;
      Place(at);
    }
    return parts_.back().nodes.size();
  }

  // Adds the node to the current part, which is the last one in `parts_`.
  void Place(size_t at) {
    ready_[KindOf(at)].erase(at);
    const int part = static_cast<int>(parts_.size()) - 1;
    parts_.back().nodes.push_back(request_.execution_plan[at]);
    for (const int tensor : NodeAt(at).inputs) {
      if (tensor == -1 || maker_[Index(tensor)] == part) continue;
      parts_.back().inputs.push_back(tensor);
      Use(tensor);
    }
    for (const int tensor : NodeAt(at).outputs) {
      if (tensor != -1) maker_[Index(tensor)] = part;
    }
    for (const size_t next : successors_[at]) {
      if (--waits_for_[next] == 0) ready_[KindOf(next)].insert(next);
    }
  }

  // Records that a node of another part reads the tensor, or that it is an
  // output of the graph. If a part has written the tensor, the tensor becomes
  // an output of that part.
  void Use(int tensor) {
    if (tensor == -1 || maker_[Index(tensor)] < 0) return;
    parts_[Index(maker_[Index(tensor)])].outputs.push_back(tensor);
  }

  absl::Status CycleError() const {
    size_t at = 0;
    while (waits_for_[at] == 0) ++at;
    return absl::InvalidArgumentError(absl::StrCat(
        "node ", request_.execution_plan[at],
        ": it is in a cycle of tensors and control edges, or after one; "
        "expected a graph without cycles"));
  }

  static constexpr size_t kNobody = ~size_t{0};

  const PartitionRequest& request_;
  // For each position in the plan, the number of edges to the node at this
  // position from nodes that have not been placed in a part yet.
  std::vector<size_t> waits_for_;
  std::vector<std::vector<size_t>> successors_;
  std::vector<bool> is_claimed_;  // is indexed by node id
  // For each tensor, the index of the part that wrote it, or kGiven or
  // kPending.
  std::vector<int> maker_;
  // The positions of ready nodes: ready_[0] contains the nodes that are not
  // claimed, and ready_[1] the claimed nodes.
  std::set<size_t> ready_[2];
  std::vector<GraphPartition> parts_;
};

}  // namespace

absl::StatusOr<std::vector<GraphPartition>> PartitionGraph(
    const PartitionRequest& request) {
  absl::Status status = CheckRequest(request);
  if (!status.ok()) return status;
  return Partitioner(request).Run();
}

absl::StatusOr<std::vector<int>> LimitClaims(const PartitionRequest& request,
                                             const PartitionLimits& limits) {
  absl::StatusOr<std::vector<GraphPartition>> parts = PartitionGraph(request);
  if (!parts.ok()) return parts.status();
  parts->erase(std::remove_if(parts->begin(), parts->end(),
                              [&](const GraphPartition& part) {
                                return !part.delegated ||
                                       static_cast<int>(part.nodes.size()) <
                                           limits.min_nodes_per_partition;
                              }),
               parts->end());
  std::stable_sort(parts->begin(), parts->end(),
                   [](const GraphPartition& a, const GraphPartition& b) {
                     return a.nodes.size() > b.nodes.size();
                   });
  if (limits.max_partitions > 0 &&
      parts->size() > static_cast<size_t>(limits.max_partitions)) {
    parts->resize(static_cast<size_t>(limits.max_partitions));
  }
  std::vector<int> claims;
  for (const GraphPartition& part : *parts) {
    claims.insert(claims.end(), part.nodes.begin(), part.nodes.end());
  }
  absl::c_sort(claims);
  return claims;
}

}  // namespace stowage::harness
