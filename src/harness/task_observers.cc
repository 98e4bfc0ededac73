// SPDX-License-Identifier: Apache-2.0
#include "src/harness/task_observers.h"

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "src/harness/arena_memory.h"
#include "src/harness/call_frames.h"
#include "src/harness/graph_states.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/program_plan.h"
#include "stowage/programs/program.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

TaskObservers::TaskObservers(SharedState* shared, RunningGraph* graph,
                             const ArenaMemory* arenas,
                             const Allocated* allocated, size_t run)
    : shared_(*shared),
      graph_(*graph),
      arenas_(*arenas),
      allocated_(*allocated),
      run_(run) {
  if (allocated_.plan.order) {
    states_.assign(graph_.tasks().size(), TaskState::kWaiting);
    // These tasks were computed before the run, so the run does not execute
    // them.
    for (size_t task = 0; task < graph_.always_prepared(); ++task) {
      if (graph_.IsFolded(task)) states_[task] = TaskState::kFinished;
    }
  }
}

absl::Status TaskObservers::Before(size_t task, Execution* execution) {
  const std::lock_guard<std::recursive_mutex> lock(shared_.observing);
  if (!states_.empty()) states_[task] = TaskState::kRunning;
  *execution = Describe(task);
  for (ExecutionObserver* const observer : shared_.options.observers) {
    const absl::Status status = observer->BeforeOperator(*execution);
    if (!status.ok()) return graph_.At(task, status);
  }
  return absl::OkStatus();
}

absl::Status TaskObservers::After(Execution* execution) {
  const std::lock_guard<std::recursive_mutex> lock(shared_.observing);
  for (const size_t t : execution->writes) {
    if (graph_.buffers().IsStale(t)) execution->stale.push_back(t);
  }
  const auto& observers = shared_.options.observers;
  for (size_t i = observers.size(); i > 0; --i) {
    const absl::Status status = observers[i - 1]->AfterOperator(*execution);
    if (!status.ok()) return graph_.At(execution->node, status);
  }
  if (!states_.empty()) states_[execution->node] = TaskState::kFinished;
  return absl::OkStatus();
}

namespace {

// Finds the point of the program at which the operator runs.
void FindPoint(Execution* execution) {
  const ProgramPlan* const program = execution->plan->program.get();
  if (program == nullptr) return;
  const Execution* const caller = execution->caller;
  if (execution->plan->function > 0) {
    const absl::optional<uint32_t> call =
        caller == nullptr || caller->plan->program.get() != program
            ? absl::nullopt
            : program->CallOf(caller->program_call, caller->node,
                              execution->subgraph);
    if (!call) return;
    execution->program_call = *call;
  }
  const auto point = program->operator_points.find(
      {execution->program_call, static_cast<uint32_t>(execution->node)});
  if (point != program->operator_points.end()) {
    execution->point = point->second;
  }
}

}  // namespace

Execution TaskObservers::Describe(size_t task) const {
  Execution execution;
  execution.graph = &graph_.spec();
  execution.op = &graph_.SpecOf(task);
  execution.subgraph = graph_.index();
  execution.node = task;
  execution.id = static_cast<int>(graph_.tasks()[task].node);
  execution.step = graph_.tasks()[task].step;
  execution.invocation = allocated_.invocation;
  execution.run = run_;
  execution.caller = graph_.frames().caller();
  execution.states = states_;
  execution.place = graph_.Place(task);
  execution.tensors = graph_.tensors().all();
  execution.lifetimes = allocated_.plan.lifetimes;
  execution.plan = &allocated_.plan;
  execution.arena = arenas_.arena();
  if (const ProgramPlan* const program = allocated_.plan.program.get()) {
    for (size_t v = 0; v < program->resources.size(); ++v) {
      execution.variables.emplace_back(
          shared_.resources.HeldMemory(program->resources[v]),
          program->program.variables[v].size);
    }
  }
  const ArenaNode& described = allocated_.plan.graph.nodes[task];
  for (const size_t t : described.inputs) {
    if (t == kAbsent) continue;
    execution.reads.push_back(t);
    if (graph_.tensors()[t].is_variable) execution.writes.push_back(t);
  }
  for (const size_t t : described.outputs) {
    if (t != kAbsent) execution.writes.push_back(t);
  }
  for (const size_t t : described.temporaries) execution.writes.push_back(t);
  FindPoint(&execution);
  return execution;
}

}  // namespace stowage::harness
