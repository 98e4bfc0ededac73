// SPDX-License-Identifier: Apache-2.0
#include "src/harness/computed_shapes.h"

#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "src/harness/arena_memory.h"
#include "src/harness/custom_memory.h"
#include "src/harness/placement.h"
#include "src/harness/plan_graph.h"
#include "src/harness/running_graph.h"
#include "src/harness/tensor_table.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

namespace {

bool IsInput(const RunningGraph& graph, size_t tensor) {
  return absl::c_linear_search(graph.spec().inputs, tensor);
}

// Returns whether the plan of a program has left a tensor without memory. The
// plan omits a tensor if its size was not known before the run, or if it
// depends only on constants and its operator is prepared only during the run.
bool LacksMemory(const Tensor& tensor, const absl::optional<size_t>& offset) {
  return tensor.bytes > 0 && !tensor.is_variable &&
         (tensor.storage == Storage::kArena ||
          (tensor.storage == Storage::kPersistent && !offset));
}

// Allocates separate memory for each tensor that is first needed at task `task`
// or later, because the arena of a program has no place for these tensors.
absl::Status AllocateComputed(size_t task, const MemoryPlan& plan,
                              RunningGraph* graph) {
  TensorTable& tensors = graph->tensors();
  for (size_t t = 0; t < tensors.size(); ++t) {
    const absl::optional<size_t>& first = plan.lifetimes[t].first;
    if (!LacksMemory(tensors[t], plan.offsets[t]) || !first || *first < task ||
        *first >= plan.prepared_nodes || IsInput(*graph, t)) {
      continue;
    }
    tensors[t].storage = Storage::kDynamic;
    absl::Status status =
        tensors.AllocateDynamic(t, Shape(tensors[t].shape), tensors[t].bytes);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PlaceComputed(size_t task, bool preserves_all, RunningGraph* graph,
                           ArenaMemory* arenas, MemoryPlan* plan) {
  // Memory provided by the caller is checked again here, because the sizes of
  // some tensors were not known before.
  absl::Status status = CheckCustomMemory(*graph);
  if (!status.ok()) return status;
  DescribeGraph(*graph, plan);
  status = PlaceNext(task, preserves_all, plan);
  if (status.ok() && plan->program != nullptr) {
    status = AllocateComputed(task, *plan, graph);
    DescribeGraph(*graph, plan);
  }
  if (status.ok()) status = arenas->Bind(*plan, task, &graph->tensors());
  return graph->At(task, status);
}

void ForgetComputed(RunningGraph* graph, MemoryPlan* plan) {
  const size_t prepared = graph->always_prepared();
  if (prepared == graph->tasks().size()) return;
  graph->Rewind();
  TensorTable& tensors = graph->tensors();
  plan->lifetimes.resize(tensors.size());
  plan->offsets.resize(tensors.size());
  if (!plan->tensor_places.empty()) plan->tensor_places.resize(tensors.size());
  for (size_t t = 0; t < plan->lifetimes.size(); ++t) {
    const absl::optional<size_t>& first = plan->lifetimes[t].first;
    if (!first || *first < prepared || IsInput(*graph, t)) continue;
    if (tensors[t].storage != Storage::kPersistent) {
      plan->offsets[t] = absl::nullopt;
    }
    if (t < graph->spec().tensors.size() &&
        !graph->spec().tensors[t].is_variable &&
        !graph->spec().tensors[t].is_constant) {
      tensors.ResetTensor(t);
    }
  }
  DescribeGraph(*graph, plan);
}

void FreeLastRead(size_t task, const MemoryPlan& plan, RunningGraph* graph) {
  TensorTable& tensors = graph->tensors();
  for (const size_t t : plan.graph.nodes[task].inputs) {
    if (t == kAbsent || tensors[t].storage != Storage::kDynamic) continue;
    const Lifetime& lifetime = plan.lifetimes[plan.lifetimes[t].root];
    if (lifetime.root == t && lifetime.last == task) tensors.FreeDynamic(t);
  }
}

}  // namespace stowage::harness
