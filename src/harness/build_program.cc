// SPDX-License-Identifier: Apache-2.0
#include "src/harness/build_program.h"

#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/harness/call_frames.h"
#include "src/harness/graph_session.h"
#include "src/harness/program_variables.h"
#include "src/harness/resources.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/program_plan.h"
#include "stowage/planner.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_problem.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

NodeKind KindOf(const OperatorSpec& op) {
  if (op.name == "IF") return NodeKind::kIf;
  if (op.name == "CALL_ONCE") return NodeKind::kOnce;
  return op.name == "WHILE" ? NodeKind::kWhile : NodeKind::kCall;
}

class ProgramBuilder {
 public:
  ProgramBuilder(const RunningGraph& entry, const MemoryPlan& plan,
                 const OwnedResources& resources,
                 const InterpreterOptions& options)
      : entry_(entry),
        plan_(plan),
        resources_(resources),
        options_(options),
        has_state_(options.state_in_place &&
                   options.copies != ProgramCopies::kMade &&
                   options.sharing == Sharing::kFixed &&
                   options.lifetimes == LifetimeRules::kCpu),
        carries_in_place_(has_state_) {}

  std::shared_ptr<ProgramPlan> Build();

 private:
  // A prepared subgraph.
  struct Source {
    const RunningGraph* graph = nullptr;
    const MemoryPlan* plan = nullptr;
  };

  absl::optional<Source> Find(size_t subgraph) const;
  bool IsPlannedKind(const OperatorSpec& op) const;
  bool IsPlannedCall(const Source& source, size_t task) const;
  void FindApart();
  void SetApart(size_t subgraph);
  size_t FunctionOf(size_t subgraph);
  ProgramFunction Describe(const Source& source);
  ProgramNode DescribeNode(const Source& source, size_t task,
                           const ProgramFunction& function);
  void AddInPlace(const ArenaNode& described, const ProgramFunction& function,
                  ProgramNode* node) const;
  std::shared_ptr<ProgramPlan> DescribeAll();
  void AddCarried(Program* program) const;

  const RunningGraph& entry_;
  const MemoryPlan& plan_;
  const OwnedResources& resources_;
  const InterpreterOptions& options_;
  bool has_state_ = false;  // says whether variables may lie in place
  // True if a carried output may share memory with the input that it becomes in
  // the next invocation.
  const bool carries_in_place_;
  std::set<size_t> apart_;  // has subgraphs with an arena of their own
  std::map<size_t, size_t> functions_;  // by subgraph
  std::vector<size_t> subgraphs_;       // by function
};

absl::optional<ProgramBuilder::Source> ProgramBuilder::Find(
    size_t subgraph) const {
  if (subgraph == entry_.index()) return Source{&entry_, &plan_};
  const GraphSession* const frame = entry_.frames().Find(subgraph);
  if (frame == nullptr || !frame->is_planned()) {
    return absl::nullopt;
  }
  return Source{&frame->running(), &frame->plan()};
}

// Returns whether a call by such an operator may be part of the program.
bool ProgramBuilder::IsPlannedKind(const OperatorSpec& op) const {
  if (PassesArguments(op)) return true;
  // CALL_ONCE assigns variables, so it is part of the program only if tensors
  // may be placed in the memory of variables.
  return has_state_ && CallsSubgraphs(op) &&
         absl::c_all_of(CalledSubgraphs(op), [&](int called) {
           const SubgraphSpec& graph =
               entry_.model().subgraphs()[static_cast<size_t>(called)];
           return graph.inputs.empty() && graph.outputs.empty();
         });
}

// Returns whether the task calls functions of the program.
bool ProgramBuilder::IsPlannedCall(const Source& source, size_t task) const {
  const OperatorSpec& op = source.graph->SpecOf(task);
  if (!IsPlannedKind(op) || task >= source.graph->always_prepared() ||
      source.graph->NodeOf(task).shadow != nullptr) {
    return false;
  }
  return absl::c_all_of(CalledSubgraphs(op), [&](int called) {
    const auto callee = static_cast<size_t>(called);
    const GraphSession* const frame = entry_.frames().Find(callee);
    return apart_.count(callee) == 0 && frame != nullptr &&
           frame->is_planned() && frame->has_one_signature();
  });
}

// Gives this subgraph and all subgraphs that it calls their own arenas.
void ProgramBuilder::SetApart(size_t subgraph) {
  if (!apart_.insert(subgraph).second) return;
  for (const OperatorSpec& op :
       entry_.model().subgraphs()[subgraph].operators) {
    for (const int called : CalledSubgraphs(op)) {
      SetApart(static_cast<size_t>(called));
    }
  }
}

// Finds the subgraphs that have an arena of their own. If an operator calls
// several subgraphs and one of them has its own arena, then all of them get
// their own arenas, because the operator is then not a call of the program.
void ProgramBuilder::FindApart() {
  size_t before = 0;
  do {
    before = apart_.size();
    std::set<size_t> seen = {entry_.index()};
    std::vector<size_t> pending = {entry_.index()};
    while (!pending.empty()) {
      const size_t subgraph = pending.back();
      pending.pop_back();
      const absl::optional<Source> source = Find(subgraph);
      if (!source) continue;
      for (size_t task = 0; task < source->graph->tasks().size(); ++task) {
        for (const int called : CalledSubgraphs(source->graph->SpecOf(task))) {
          const auto callee = static_cast<size_t>(called);
          if (!IsPlannedCall(*source, task)) SetApart(callee);
          if (seen.insert(callee).second) pending.push_back(callee);
        }
      }
    }
  } while (apart_.size() > before);
}

size_t ProgramBuilder::FunctionOf(size_t subgraph) {
  const auto [known, is_new] = functions_.emplace(subgraph, subgraphs_.size());
  if (is_new) subgraphs_.push_back(subgraph);
  return known->second;
}

ProgramFunction ProgramBuilder::Describe(const Source& source) {
  const ArenaGraph& graph = source.plan->graph;
  const size_t prepared = source.graph->always_prepared();
  ProgramFunction function;
  function.name = source.graph->spec().name;
  function.inputs = graph.inputs;
  function.outputs = graph.outputs;
  // A tensor has memory in the arena if it is an input or if a prepared node
  // writes it.
  std::vector<bool> is_placed(graph.tensors.size(), false);
  for (const size_t t : graph.inputs) {
    is_placed[t] = !source.graph->tensors().Varies(t);
  }
  for (size_t task = 0; task < prepared; ++task) {
    for (const auto* list :
         {&graph.nodes[task].outputs, &graph.nodes[task].temporaries}) {
      for (const size_t t : *list) {
        if (t != kAbsent) {
          is_placed[t] = graph.tensors[t].storage == Storage::kArena;
        }
      }
    }
  }
  const bool is_entry = source.graph == &entry_;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const bool is_argument =
        !is_entry && absl::c_linear_search(graph.inputs, t);
    const bool has_memory =
        is_placed[t] &&
        (is_argument || graph.tensors[t].storage == Storage::kArena);
    function.tensors.push_back(
        {absl::StrCat(t), has_memory ? graph.tensors[t].bytes : 0});
  }
  for (size_t task = 0; task < graph.nodes.size(); ++task) {
    function.nodes.push_back(DescribeNode(source, task, function));
  }
  return function;
}

ProgramNode ProgramBuilder::DescribeNode(const Source& source, size_t task,
                                         const ProgramFunction& function) {
  const ArenaNode& described = source.plan->graph.nodes[task];
  const OperatorSpec& op = source.graph->SpecOf(task);
  ProgramNode node;
  node.name = op.name;
  const auto is_present = [](size_t t) { return t != kAbsent; };
  absl::c_copy_if(described.inputs, std::back_inserter(node.inputs),
                  is_present);
  absl::c_copy_if(described.outputs, std::back_inserter(node.outputs),
                  is_present);
  if (IsPlannedCall(source, task)) {
    node.kind = KindOf(op);
    for (const int called : CalledSubgraphs(op)) {
      node.functions.push_back(FunctionOf(static_cast<size_t>(called)));
    }
    return node;
  }
  if (task >= source.graph->always_prepared()) return node;
  node.temporaries = described.temporaries;
  AddInPlace(described, function, &node);
  return node;
}

// Adds to the node the inputs that may share their memory with its first
// output.
void ProgramBuilder::AddInPlace(const ArenaNode& described,
                                const ProgramFunction& function,
                                ProgramNode* node) const {
  if (options_.sharing == Sharing::kNone ||
      options_.lifetimes != LifetimeRules::kCpu || described.outputs.empty() ||
      described.outputs[0] == kAbsent) {
    return;
  }
  const size_t size = function.tensors[described.outputs[0]].size;
  for (size_t i = 0; i < std::size(kInPlaceInputs); ++i) {
    if (i >= described.inputs.size() || described.inputs[i] == kAbsent ||
        !HasFlag(described.in_place, kInPlaceInputs[i]) || size == 0) {
      continue;
    }
    const size_t input = described.inputs[i];
    // An operator that has the same tensor as two inputs may read it in two
    // different orders, so its output must not overwrite the tensor.
    if (function.tensors[input].size != size ||
        absl::c_count(described.inputs, input) > 1) {
      continue;
    }
    InPlaceOutput& in_place = node->in_place.emplace_back();
    in_place.input = static_cast<size_t>(absl::c_find(node->inputs, input) -
                                         node->inputs.begin());
    in_place.is_view = HasFlag(described.in_place, InPlace::kUnmodified);
  }
}

std::shared_ptr<ProgramPlan> ProgramBuilder::DescribeAll() {
  apart_.clear();
  functions_.clear();
  subgraphs_.clear();
  FindApart();
  FunctionOf(entry_.index());
  auto result = std::make_shared<ProgramPlan>();
  // Describe may append to `subgraphs_` while this loop runs, because the
  // described subgraph may call further subgraphs.
  // NOLINTNEXTLINE(modernize-loop-convert)
  for (size_t f = 0; f < subgraphs_.size(); ++f) {
    result->program.functions.push_back(Describe(*Find(subgraphs_[f])));
  }
  result->subgraphs = subgraphs_;
  result->program.keeps_inputs =
      options_.io_lifetime.value_or(DefaultIoLifetime(options_.lifetimes)) ==
      IoLifetime::kKeep;
  if (carries_in_place_) AddCarried(&result->program);
  return result;
}

// Adds to the program each pair of an output of the entry and the input that it
// becomes in the next invocation, if both have memory in the arena and the same
// size.
void ProgramBuilder::AddCarried(Program* program) const {
  const ProgramFunction& entry = program->functions[0];
  for (const CarriedTensor& carried : options_.carried) {
    if (carried.subgraph != entry_.index()) continue;
    const size_t output = entry.tensors[entry.outputs[carried.output]].size;
    const size_t input = entry.tensors[entry.inputs[carried.input]].size;
    if (output == 0 || output != input) continue;
    program->carried.push_back({0, carried.output, carried.input});
  }
}

std::shared_ptr<ProgramPlan> ProgramBuilder::Build() {
  std::shared_ptr<ProgramPlan> result = DescribeAll();
  if (has_state_) {
    std::vector<const RunningGraph*> graphs;
    graphs.reserve(subgraphs_.size());
    for (const size_t subgraph : subgraphs_) {
      graphs.push_back(Find(subgraph)->graph);
    }
    if (AddVariables(graphs, resources_, result.get())) return result;
    // No tensor is placed in the memory of a variable, so CALL_ONCE is not a
    // call of the program. Describes the functions again without it.
    has_state_ = false;
    if (subgraphs_.size() > 1) result = DescribeAll();
  }
  return subgraphs_.size() == 1 && result->program.carried.empty() ? nullptr
                                                                   : result;
}

}  // namespace

bool PlansTogether(const InterpreterOptions& options) {
  return options.planner == nullptr && options.kind == PlanKind::kOffsets &&
         options.streams == 1 && !options.preserve_all_tensors;
}

std::shared_ptr<ProgramPlan> BuildProgram(const RunningGraph& graph,
                                          const MemoryPlan& plan,
                                          const OwnedResources& resources,
                                          const InterpreterOptions& options) {
  if (!PlansTogether(options)) return nullptr;
  return ProgramBuilder(graph, plan, resources, options).Build();
}

}  // namespace stowage::harness
