// SPDX-License-Identifier: Apache-2.0
#include "src/harness/program_variables.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/harness/resources.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/tensor.h"
#include "stowage/programs/program.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/storage.h"

namespace stowage::harness {
namespace {

bool IsBuiltinOperator(const OperatorSpec& op, const char* name) {
  return !op.is_custom && op.name == name;
}

bool UsesVariable(const OperatorSpec& op) {
  return IsBuiltinOperator(op, "READ_VARIABLE") ||
         IsBuiltinOperator(op, "ASSIGN_VARIABLE");
}

class VariableFinder {
 public:
  VariableFinder(absl::Span<const RunningGraph* const> graphs,
                 const OwnedResources& resources, ProgramPlan* plan)
      : graphs_(graphs),
        resources_(resources),
        plan_(*plan),
        program_(plan->program) {}

  bool Add();

 private:
  // A node of the program that reads or assigns a variable.
  struct Use {
    size_t function = 0;
    size_t node = 0;
    bool is_read = false;
    size_t place = 0;  // the index in outputs if is_read, else in inputs
  };
  struct Variable {
    size_t size = 0;
    bool is_left_out = false;
    std::vector<Use> uses;
  };

  // Special values for a tensor of type RESOURCE that does not refer to exactly
  // one known variable.
  static constexpr int32_t kNothing = -1;  // nothing, as far as is known
  static constexpr int32_t kSeveral = -2;  // one of several variables

  static bool Merge(int32_t from, int32_t* to);
  bool MergeCall(size_t function, const ProgramNode& node);
  void FindHandles();
  bool HasUseApart() const;
  void FindUses(size_t function);
  void AddUse(size_t function, const OperatorSpec& op, const size_t* node);
  void AddFunctionBetween();

  const absl::Span<const RunningGraph* const> graphs_;
  const OwnedResources& resources_;
  ProgramPlan& plan_;
  Program& program_;
  // For each tensor of each function, the number of the variable to which it
  // refers, or one of the constants above.
  std::vector<std::vector<int32_t>> handles_;
  std::map<int32_t, Variable> variables_;
  bool are_all_left_out_ = false;
};

// Adds `from` to the variables to which a tensor may refer, which are described
// by `*to`. Returns whether `*to` has changed.
bool VariableFinder::Merge(int32_t from, int32_t* to) {
  if (from == kNothing || *to == from || *to == kSeveral) return false;
  *to = *to == kNothing ? from : kSeveral;
  return true;
}

// Propagates handles from the arguments of a call to the inputs of the called
// functions, and from the outputs of these functions to the results of the
// call. Returns whether any handle has changed.
bool VariableFinder::MergeCall(size_t function, const ProgramNode& node) {
  std::vector<int32_t>& own = handles_[function];
  bool has_changed = false;
  const auto merge = [&](int32_t from, int32_t* to) {
    has_changed = Merge(from, to) || has_changed;
  };
  const bool is_loop = node.kind == NodeKind::kWhile;
  const size_t first = node.kind == NodeKind::kIf ? 1 : 0;
  for (size_t i = 0; is_loop && i < node.inputs.size(); ++i) {
    merge(own[node.inputs[i]], &own[node.outputs[i]]);
  }
  const std::vector<size_t>& arguments = is_loop ? node.outputs : node.inputs;
  for (size_t k = 0; k < node.functions.size(); ++k) {
    const size_t callee = node.functions[k];
    const ProgramFunction& called = program_.functions[callee];
    for (size_t i = 0; i < called.inputs.size(); ++i) {
      merge(own[arguments[first + i]], &handles_[callee][called.inputs[i]]);
    }
    // The output of the condition of a loop is not a result of the loop.
    for (size_t i = 0; i < called.outputs.size() && (!is_loop || k == 1); ++i) {
      merge(handles_[callee][called.outputs[i]], &own[node.outputs[i]]);
    }
  }
  return has_changed;
}

void VariableFinder::FindHandles() {
  for (size_t f = 0; f < graphs_.size(); ++f) {
    const RunningGraph& graph = *graphs_[f];
    handles_.emplace_back(program_.functions[f].tensors.size(), kNothing);
    for (size_t task = 0; task < graph.tasks().size(); ++task) {
      const OperatorSpec& op = graph.SpecOf(task);
      if (!IsBuiltinOperator(op, "VAR_HANDLE")) continue;
      for (const size_t t : op.outputs) {
        if (t == kAbsent) continue;
        const int32_t number = graph.tensors()[t].resource;
        handles_[f][t] =
            number >= 0 && task < graph.always_prepared() ? number : kSeveral;
      }
    }
  }
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (size_t f = 0; f < graphs_.size(); ++f) {
      for (const ProgramNode& node : program_.functions[f].nodes) {
        if (node.kind == NodeKind::kOperator) continue;
        has_changed = MergeCall(f, node) || has_changed;
      }
    }
  }
}

// Returns whether the entry may call a subgraph that is not a function of the
// program and has an operator that uses a variable. A custom operator may call
// any subgraph.
bool VariableFinder::HasUseApart() const {
  const absl::Span<const SubgraphSpec> all = graphs_[0]->model().subgraphs();
  std::vector<bool> is_seen(all.size(), false);
  std::vector<size_t> pending = {graphs_[0]->index()};
  while (!pending.empty()) {
    const size_t subgraph = pending.back();
    pending.pop_back();
    if (is_seen[subgraph]) continue;
    is_seen[subgraph] = true;
    const bool is_apart = !absl::c_linear_search(plan_.subgraphs, subgraph);
    for (const OperatorSpec& op : all[subgraph].operators) {
      if (is_apart && UsesVariable(op)) return true;
      for (size_t k = 0; op.is_custom && k < all.size(); ++k) {
        pending.push_back(k);
      }
      for (const int called : CalledSubgraphs(op)) {
        pending.push_back(static_cast<size_t>(called));
      }
    }
  }
  return false;
}

void VariableFinder::FindUses(size_t function) {
  const RunningGraph& graph = *graphs_[function];
  // Maps each operator to its node of the program. An operator has no node if a
  // delegate runs it, or if it is not prepared before the run.
  std::map<size_t, size_t> nodes;
  for (size_t task = 0; task < graph.always_prepared(); ++task) {
    if (graph.NodeOf(task).delegated != nullptr) continue;
    nodes[graph.tasks()[task].node] = task;
  }
  const SubgraphSpec& spec = graph.spec();
  for (size_t i = 0; i < spec.operators.size(); ++i) {
    const OperatorSpec& op = spec.operators[i];
    const auto node = nodes.find(i);
    if (UsesVariable(op)) {
      AddUse(function, op, node == nodes.end() ? nullptr : &node->second);
      continue;
    }
    if (CallsSubgraphs(op)) continue;
    for (const size_t t : op.inputs) {
      if (t == kAbsent || spec.tensors[t].type != ElementType::kResource) {
        continue;
      }
      const int32_t handle = handles_[function][t];
      if (handle >= 0) variables_[handle].is_left_out = true;
      if (handle == kSeveral) are_all_left_out_ = true;
    }
  }
}

void VariableFinder::AddUse(size_t function, const OperatorSpec& op,
                            const size_t* node) {
  const RunningGraph& graph = *graphs_[function];
  const bool is_read = op.name == "READ_VARIABLE";
  const std::vector<size_t>& values = is_read ? op.outputs : op.inputs;
  const size_t at = is_read ? 0 : 1;
  const bool has_value = at < values.size() && values[at] != kAbsent;
  const bool has_handle = !op.inputs.empty() && op.inputs[0] != kAbsent;
  const int32_t handle =
      has_handle ? handles_[function][op.inputs[0]] : kNothing;
  if (handle < 0 || !has_value) {
    are_all_left_out_ = true;
    return;
  }
  Variable& variable = variables_[handle];
  const Tensor& value = graph.tensors()[values[at]];
  const size_t size = program_.functions[function].tensors[values[at]].size;
  // The value assigned to a variable may be a constant, which has no memory in
  // the arena.
  const bool has_other_memory = value.storage == Storage::kConstant ||
                                value.storage == Storage::kPersistent ||
                                value.storage == Storage::kCustom;
  if (node == nullptr || value.bytes == 0 ||
      graph.tensors().Varies(values[at]) ||
      (size == 0 && (is_read || !has_other_memory)) ||
      (variable.size > 0 && variable.size != value.bytes)) {
    variable.is_left_out = true;
    return;
  }
  variable.size = value.bytes;
  const ProgramNode& user = program_.functions[function].nodes[*node];
  const std::vector<size_t>& listed = is_read ? user.outputs : user.inputs;
  const auto place = absl::c_find(listed, values[at]);
  variable.uses.push_back(
      {function, *node, is_read, static_cast<size_t>(place - listed.begin())});
}

// Adds a function that reads all variables. It represents other subgraphs,
// which may read variables between two invocations, so variables must keep
// their values until then.
void VariableFinder::AddFunctionBetween() {
  ProgramFunction between;
  between.name = "between two invocations";
  ProgramNode node;
  node.name = "READ_VARIABLE";
  for (size_t v = 0; v < program_.variables.size(); ++v) {
    between.tensors.push_back({absl::StrCat(v), 0});
    node.outputs.push_back(v);
    node.reads.emplace_back(v, v);
  }
  between.nodes.push_back(std::move(node));
  program_.entries.push_back(program_.functions.size());
  program_.functions.push_back(std::move(between));
}

bool VariableFinder::Add() {
  if (HasUseApart()) return false;
  FindHandles();
  size_t spare_bytes = 0;
  for (size_t f = 0; f < graphs_.size(); ++f) {
    FindUses(f);
    spare_bytes = std::max(spare_bytes, graphs_[f]->tensors().spare_bytes());
  }
  if (are_all_left_out_) return false;
  for (const auto& [number, variable] : variables_) {
    if (variable.is_left_out || variable.uses.empty() ||
        !resources_.CanHold(number, variable.size, spare_bytes)) {
      continue;
    }
    const size_t v = program_.variables.size();
    program_.variables.push_back({resources_.NameOf(number), variable.size});
    plan_.resources.push_back(number);
    for (const Use& use : variable.uses) {
      ProgramNode& node = program_.functions[use.function].nodes[use.node];
      (use.is_read ? node.reads : node.assigns).emplace_back(v, use.place);
    }
  }
  if (program_.variables.empty()) return false;
  AddFunctionBetween();
  return true;
}

}  // namespace

bool AddVariables(absl::Span<const RunningGraph* const> graphs,
                  const OwnedResources& resources, ProgramPlan* plan) {
  return VariableFinder(graphs, resources, plan).Add();
}

}  // namespace stowage::harness
