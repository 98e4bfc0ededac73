// SPDX-License-Identifier: Apache-2.0
#include "src/harness/allocate_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/harness/arena_memory.h"
#include "src/harness/buffered_tensors.h"
#include "src/harness/custom_memory.h"
#include "src/harness/graph_states.h"
#include "src/harness/placement.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/tensor.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Sets all elements of a variable to 0. In a quantized variable, 0 is
// represented by the zero point.
void FillWithZero(Tensor* tensor) {
  if (tensor->bytes == 0) return;
  std::memset(tensor->data, 0, tensor->bytes);
  const int32_t zero_point = tensor->quantization.zero_point();
  if (zero_point == 0) return;
  if (ElementBytes(tensor->type) == 1) {
    std::memset(tensor->data, zero_point, tensor->bytes);
  } else if (tensor->type == ElementType::kInt16) {
    std::fill_n(tensor->as<int16_t>(), tensor->bytes / sizeof(int16_t),
                static_cast<int16_t>(zero_point));
  }
}

// Checks that the tensors can fit in `limit` bytes. The check comes before
// placing, because a strategy may take long to place tensors that do not fit.
absl::Status CheckSizes(const MemoryPlan& plan, const RunningGraph& graph,
                        size_t limit) {
  size_t sum = 0;
  for (size_t t = 0; t < plan.graph.tensors.size(); ++t) {
    const ArenaTensor& tensor = plan.graph.tensors[t];
    if (tensor.storage == Storage::kConstant) continue;
    const absl::optional<size_t> next = CheckedAdd(sum, tensor.bytes);
    if (tensor.bytes > limit) {
      return WithTensor(
          absl::ResourceExhaustedError(absl::StrCat(
              graph.Place(), ", tensor ", t, ": ", tensor.bytes,
              " bytes; expected at most ", limit, ", the memory limit")),
          t);
    }
    if (!next) {
      return absl::ResourceExhaustedError(
          absl::StrCat(graph.Place(),
                       ": the sum of the sizes of its tensors overflows 64 "
                       "bits; expected less"));
    }
    sum = *next;
  }
  return absl::OkStatus();
}

// Runs the tasks with outputs that do not change from run to run.
absl::Status Fold(RunningGraph* graph) {
  for (size_t task = 0; task < graph->prepared(); ++task) {
    if (!graph->IsFolded(task)) continue;
    absl::Status status = MakeInputsReadable(task, graph);
    if (status.ok()) status = graph->Run(task);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PlaceGraph(const SharedState& shared, const RunningGraph& graph,
                        MemoryPlan* plan) {
  absl::Status status = CheckSizes(*plan, graph, shared.budget.limit());
  if (status.ok()) status = CheckCustomMemory(graph);
  if (!status.ok()) return status;
  status = PlaceFirst(shared.options, plan);
  return status.ok() ? status : AtPlace(graph.Place(), status);
}

absl::StatusOr<Allocated> AllocateGraph(Planned* planned, RunningGraph* graph,
                                        ArenaMemory* arenas) {
  absl::Status status = arenas->Bind(planned->plan, 0, &graph->tensors());
  if (!status.ok()) return AtPlace(graph->Place(), status);
  graph->buffers().ForgetContents();
  if (status = Fold(graph); !status.ok()) return status;
  ClearVariables(graph);
  return Allocated{std::move(*planned)};
}

absl::Status BindAgain(const MemoryPlan& plan, RunningGraph* graph,
                       ArenaMemory* arenas) {
  const absl::Status status = arenas->Bind(plan, 0, &graph->tensors());
  return status.ok() ? Fold(graph) : AtPlace(graph->Place(), status);
}

void ClearVariables(RunningGraph* graph) {
  for (size_t t = 0; t < graph->spec().tensors.size(); ++t) {
    Tensor& tensor = graph->tensors()[t];
    if (!tensor.is_variable || tensor.data == nullptr ||
        tensor.storage == Storage::kCustom) {
      continue;
    }
    FillWithZero(&tensor);
    graph->buffers().MarkWritten(t);
  }
}

}  // namespace stowage::harness
