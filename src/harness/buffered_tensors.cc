// SPDX-License-Identifier: Apache-2.0
#include "src/harness/buffered_tensors.h"

#include <cstddef>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/harness/delegate_buffers.h"
#include "src/harness/delegated_node.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Returns whether another tensor may have overwritten `tensor` since it was
// computed.
bool MayBeOverwritten(size_t tensor, const InterpreterOptions& options,
                      const RunningGraph& graph) {
  return !options.preserve_all_tensors &&
         graph.tensors()[tensor].storage == Storage::kArena &&
         !absl::c_linear_search(graph.spec().outputs, tensor) &&
         !(options.io_lifetime.value_or(DefaultIoLifetime(options.lifetimes)) ==
               IoLifetime::kKeep &&
           absl::c_linear_search(graph.spec().inputs, tensor));
}

absl::Status CopyToMemory(size_t tensor, RunningGraph* graph,
                          const Delegate** owner) {
  absl::Status status =
      graph->buffers().EnsureReadable(tensor, &graph->tensors()[tensor]);
  if (!status.ok() && owner != nullptr) {
    *owner = graph->buffers().OwnerOf(tensor);
  }
  return status;
}

}  // namespace

absl::Status MakeInputsReadable(size_t task, RunningGraph* graph,
                                const Delegate** owner) {
  const DelegatedNode* const node = graph->NodeOf(task).delegated.get();
  const DelegateBuffers& buffers = graph->buffers();
  for (const size_t t : graph->SpecOf(task).inputs) {
    if (t == kAbsent || !buffers.IsStale(t) ||
        (node != nullptr && buffers.HandleOf(t, node->delegate) >= 0)) {
      continue;
    }
    const absl::Status status = CopyToMemory(t, graph, owner);
    if (status.ok()) continue;
    return graph->At(
        task, WithTensor(AtPlace(graph->spec().TensorPlace(t), status), t));
  }
  return absl::OkStatus();
}

absl::Status MakeReadable(absl::Span<const size_t> tensors, RunningGraph* graph,
                          const Delegate** owner) {
  if (!graph->buffers().any()) return absl::OkStatus();
  for (const size_t t : tensors) {
    const absl::Status status = CopyToMemory(t, graph, owner);
    if (!status.ok()) return graph->AtTensor(t, status);
  }
  return absl::OkStatus();
}

void MarkOutputsWritten(size_t task, RunningGraph* graph) {
  for (const size_t t : graph->SpecOf(task).outputs) {
    if (t != kAbsent) graph->buffers().MarkWritten(t);
  }
}

absl::Status MakeAnyReadable(size_t tensor, const InterpreterOptions& options,
                             RunningGraph* graph) {
  const std::string inside = graph->InsideOf(tensor);
  const Tensor& described = graph->tensors()[tensor];
  std::string wrong;
  if (!inside.empty() &&
      !(options.preserve_all_tensors && described.data != nullptr)) {
    wrong = absl::StrCat(inside,
                         "; expected a tensor that it reads or writes, or "
                         "preserve_all_tensors");
  } else if (described.data == nullptr && described.bytes > 0) {
    wrong = "no data; expected a tensor that has memory after Allocate";
  } else if (MayBeOverwritten(tensor, options, *graph)) {
    wrong =
        "another tensor may have reused its memory; expected an input or "
        "output of the graph, or preserve_all_tensors";
  } else {
    return graph->AtTensor(tensor, CopyToMemory(tensor, graph, nullptr));
  }
  return graph->AtTensor(tensor, absl::FailedPreconditionError(wrong));
}

}  // namespace stowage::harness
