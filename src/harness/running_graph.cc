// SPDX-License-Identifier: Apache-2.0
#include "src/harness/running_graph.h"

#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "stowage/error_payload.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

bool ReadsElements(const OperatorSpec& op) {
  return op.is_custom || op.name != "SHAPE";
}

RunningGraph::RunningGraph(SharedState* shared, size_t index,
                           CallFrames* frames)
    : shared_(shared),
      frames_(frames),
      index_(index),
      spec_(shared->model.subgraphs()[index]),
      tensors_(spec_, &shared->budget) {
  for (const auto& [tensor, shape] : shared->options.shapes) {
    if (tensor.first != index || tensor.second >= spec_.tensors.size()) {
      continue;
    }
    tensors_.SetDeclaredShape(tensor.second, shape);
  }
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
  DropDelegated();
}

void RunningGraph::DropDelegated() {
  nodes_.resize(spec_.operators.size());
  before_run_.reset();
  std::vector<int> plan(nodes_.size());
  std::iota(plan.begin(), plan.end(), 0);
  SetPlan(std::move(plan));
}

void RunningGraph::SetPlan(std::vector<int> plan) {
  plan_ = std::move(plan);
  tasks_.clear();
  folds_.clear();
  std::vector<bool> is_known(spec_.tensors.size());
  const auto is_determined = [&](size_t t) {
    return t == kAbsent || spec_.tensors[t].is_constant || is_known[t];
  };
  for (const int id : plan_) {
    const auto index = static_cast<size_t>(id);
    Node& node = nodes_[index];
    // A node whose outputs were computed in advance has to run after all if a
    // delegate writes one of its inputs.
    node.is_known =
        node.is_known && (!ReadsElements(*node.spec) ||
                          absl::c_all_of(node.spec->inputs, is_determined));
    const size_t steps =
        node.delegated == nullptr ? 1 : node.delegated->task_count();
    for (size_t step = 0; step < steps; ++step) {
      const size_t task = tasks_.size();
      tasks_.push_back({index, step});
      const OperatorSpec& spec = SpecOf(task);
      folds_.push_back(MayFold(task) &&
                       absl::c_all_of(spec.inputs, is_determined));
      if (!folds_.back() && !node.is_known) continue;
      for (const size_t t : spec.outputs) {
        if (t != kAbsent) is_known[t] = true;
      }
    }
  }
}

// Returns whether the outputs of the task may be computed once and kept from
// one run to the next. They may not for a delegate node without steps, which
// always runs as a whole.
bool RunningGraph::MayFold(size_t task) const {
  const DelegatedNode* const delegated = NodeOf(task).delegated.get();
  if (delegated == nullptr) return NodeOf(task).is_folded;
  const std::vector<size_t>& outputs = SpecOf(task).outputs;
  return !delegated->steps.empty() && !outputs.empty() &&
         absl::c_all_of(outputs,
                        [&](size_t t) { return tensors_.is_folded(t); });
}

void RunningGraph::FreeReplaced() {
  std::vector<bool> is_in_plan(nodes_.size());
  for (const int id : plan_) is_in_plan[static_cast<size_t>(id)] = true;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!is_in_plan[i]) nodes_[i].data.clear();
  }
}

RunningGraph::Snapshot RunningGraph::TakeSnapshot() const {
  Snapshot snapshot;
  snapshot.nodes = nodes_.size();
  snapshot.plan = plan_;
  for (size_t t = 0; t < tensors_.size(); ++t) {
    snapshot.tensors.push_back(tensors_[t]);
  }
  snapshot.prepared = prepared_;
  snapshot.before_run = before_run_;
  snapshot.preparations = preparations_;
  return snapshot;
}

void RunningGraph::Restore(const Snapshot& snapshot) {
  nodes_.resize(snapshot.nodes);
  SetPlan(snapshot.plan);
  tensors_.DropTemporaries(snapshot.tensors.size());
  for (size_t t = 0; t < tensors_.size(); ++t) {
    tensors_[t] = snapshot.tensors[t];
  }
  prepared_ = snapshot.prepared;
  before_run_ = snapshot.before_run;
}

const OperatorSpec& RunningGraph::SpecOf(size_t task) const {
  const Node& node = NodeOf(task);
  return node.delegated == nullptr ? *node.spec
                                   : node.delegated->SpecOf(tasks_[task].step);
}

bool RunningGraph::IsFolded(size_t task) const {
  return folds_[task] || NodeOf(task).is_known;
}

std::string RunningGraph::Place() const {
  return absl::StrCat(shared_->model.name(), ": subgraph ", index_);
}

std::string RunningGraph::NodePlace(size_t node) const {
  const DelegatedNode* const delegated = nodes_[node].delegated.get();
  return delegated == nullptr ? spec_.OperatorPlace(node)
                              : absl::StrCat("delegate node ", node, " (",
                                             delegated->info.name, ")");
}

std::string RunningGraph::TaskPlace(size_t task) const {
  const auto [node, step] = tasks_[task];
  const DelegatedNode* const delegated = nodes_[node].delegated.get();
  if (delegated == nullptr || delegated->steps.empty()) return NodePlace(node);
  return absl::StrCat(NodePlace(node), ", step ", step, " (",
                      delegated->steps[step].name, ")");
}

std::vector<std::string> RunningGraph::TaskPlaces() const {
  std::vector<std::string> places;
  places.reserve(tasks_.size());
  for (size_t task = 0; task < tasks_.size(); ++task) {
    places.push_back(TaskPlace(task));
  }
  return places;
}

std::string RunningGraph::Place(size_t task) const {
  return absl::StrCat(Place(), ", ", TaskPlace(task));
}

absl::Status RunningGraph::At(size_t task, const absl::Status& status) const {
  if (status.ok()) return status;
  return WithOperator(AtPlace(Place(task), status), tasks_[task].node);
}

absl::Status RunningGraph::AtTensor(size_t tensor,
                                    const absl::Status& status) const {
  if (status.ok()) return status;
  return WithTensor(
      AtPlace(absl::StrCat(Place(), ", ", spec_.TensorPlace(tensor)), status),
      tensor);
}

std::string RunningGraph::InsideOf(size_t tensor) const {
  for (const int id : plan_) {
    const DelegatedNode* const node =
        nodes_[static_cast<size_t>(id)].delegated.get();
    if (node == nullptr ||
        absl::c_binary_search(node->partition.outputs, tensor)) {
      continue;
    }
    for (const int replaced : node->replaced) {
      const Node& inside = nodes_[static_cast<size_t>(replaced)];
      if (absl::c_linear_search(inside.spec->outputs, tensor)) {
        return absl::StrCat("inside ", NodePlace(static_cast<size_t>(id)));
      }
    }
  }
  return "";
}

bool RunningGraph::HasDynamicOutput(size_t node) const {
  return absl::c_any_of(nodes_[node].spec->outputs, [&](size_t t) {
    return t != kAbsent && tensors_[t].storage == Storage::kDynamic;
  });
}

absl::optional<size_t> RunningGraph::FirstDynamicTask() const {
  for (size_t task = 0; task < always_prepared(); ++task) {
    if (HasDynamicOutput(tasks_[task].node)) return task;
  }
  if (always_prepared() < tasks_.size()) return always_prepared();
  return absl::nullopt;
}

bool RunningGraph::HasKnownShape(size_t tensor) const {
  if (tensors_[tensor].storage == Storage::kDynamic ||
      tensors_.Varies(tensor)) {
    return false;
  }
  for (size_t task = always_prepared(); task < tasks_.size(); ++task) {
    if (absl::c_linear_search(SpecOf(task).outputs, tensor)) return false;
  }
  return true;
}

bool RunningGraph::ReadsVarying(size_t node) const {
  return absl::c_any_of(nodes_[node].spec->inputs, [&](size_t t) {
    return t != kAbsent && tensors_.Varies(t);
  });
}

absl::Status RunningGraph::Prepare() {
  ++preparations_;
  before_run_.reset();
  for (Node& node : nodes_) {
    node.parts.clear();
    node.temporaries.clear();
    node.data.clear();
    if (node.delegated != nullptr) node.delegated->workspaces.clear();
  }
  tensors_.Reset();
  prepared_ = 0;
  absl::Status status = PrepareTasks(true);
  if (status.ok()) before_run_ = {prepared_, tensors_.size()};
  return status;
}

absl::Status RunningGraph::PrepareMore() { return PrepareTasks(false); }

// Prepares further tasks. During a run, also prepares tasks that read arguments
// of varying shape, because the shapes of all arguments are known then.
absl::Status RunningGraph::PrepareTasks(bool is_before_run) {
  bool is_dynamic = false;
  while (prepared_ < tasks_.size() && !is_dynamic) {
    const size_t index = tasks_[prepared_].node;
    if (is_before_run && ReadsVarying(index)) break;
    Node& node = nodes_[index];
    const absl::Status status =
        node.delegated == nullptr ? PrepareNode(index)
                                  : WithDelegate(PrepareDelegated(index, false),
                                                 node.delegated->info.name);
    if (!status.ok()) return At(prepared_, status);
    is_dynamic = HasDynamicOutput(index);
    prepared_ += node.delegated == nullptr ? 1 : node.delegated->task_count();
  }
  return absl::OkStatus();
}

void RunningGraph::Rewind() {
  prepared_ = before_run_->tasks;
  for (size_t task = prepared_; task < tasks_.size(); ++task) {
    Node& node = nodes_[tasks_[task].node];
    node.temporaries.clear();
    if (node.delegated != nullptr) node.delegated->workspaces.clear();
  }
  tensors_.DropTemporaries(before_run_->tensors);
}

ArenaGraph RunningGraph::Describe() const {
  ArenaGraph graph;
  for (size_t t = 0; t < tensors_.size(); ++t) {
    graph.tensors.push_back({tensors_[t].bytes, tensors_[t].storage});
  }
  const auto& may_share = shared_->options.in_place;
  for (size_t i = 0; i < tasks_.size(); ++i) {
    const Node& node = NodeOf(i);
    const OperatorSpec& spec = SpecOf(i);
    ArenaNode described = {
        spec.inputs, spec.outputs, node.temporaries, node.in_place, {}};
    // Scratch tensors are temporaries of a shadow. They have no contents to
    // read, so they are not inputs.
    for (size_t& t : described.inputs) {
      if (t != kAbsent && IsScratch(t)) t = kAbsent;
    }
    if (node.delegated == nullptr) described.parts = node.parts;
    if (node.delegated != nullptr) {
      const size_t step = tasks_[i].step;
      if (!node.delegated->steps.empty()) {
        described.in_place = node.delegated->steps[step].in_place;
      }
      described.temporaries.clear();
      for (const Workspace& workspace : node.delegated->workspaces) {
        if (workspace.first_step <= step && step <= workspace.last_step) {
          described.temporaries.push_back(workspace.tensor);
        }
      }
    }
    if (may_share != nullptr && !may_share(index_, i)) {
      described.in_place = InPlace::kNever;
      described.parts.clear();
    }
    graph.nodes.push_back(std::move(described));
  }
  graph.inputs = spec_.inputs;
  graph.outputs = spec_.outputs;
  for (size_t t = 0; t < spec_.tensors.size(); ++t) {
    if (spec_.tensors[t].is_variable) graph.variables.push_back(t);
  }
  return graph;
}

}  // namespace stowage::harness
