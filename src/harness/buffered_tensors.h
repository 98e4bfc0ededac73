// SPDX-License-Identifier: Apache-2.0
// Makes tensors readable that are in buffers of delegates: copies the content
// of stale tensors to their memory (delegate_buffers.h).
#ifndef STOWAGE_SRC_HARNESS_BUFFERED_TENSORS_H_
#define STOWAGE_SRC_HARNESS_BUFFERED_TENSORS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"

namespace stowage::harness {

// These functions make the inputs of a task readable, and the tensors of a
// list. If a copy fails, `owner`, unless it is null, is set to the delegate
// that has the buffer. Errors: those of DelegateBuffers::EnsureReadable, naming
// the tensor.
absl::Status MakeInputsReadable(size_t task, RunningGraph* graph,
                                const Delegate** owner = nullptr);
absl::Status MakeReadable(absl::Span<const size_t> tensors, RunningGraph* graph,
                          const Delegate** owner = nullptr);

// Records that the task writes its outputs to their memory.
void MarkOutputsWritten(size_t task, RunningGraph* graph);

// Implements Subgraph::EnsureReadable for a tensor of the model.
absl::Status MakeAnyReadable(size_t tensor, const InterpreterOptions& options,
                             RunningGraph* graph);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_BUFFERED_TENSORS_H_
