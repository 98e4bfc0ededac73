// SPDX-License-Identifier: Apache-2.0
// Makes stale tensors readable. A tensor is stale if only a buffer of a
// delegate has its current contents; the functions below copy the contents to
// the memory of the tensor. delegate_buffers.h keeps track of the stale
// tensors.
#ifndef STOWAGE_SRC_HARNESS_BUFFERED_TENSORS_H_
#define STOWAGE_SRC_HARNESS_BUFFERED_TENSORS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"

namespace stowage::harness {

// MakeInputsReadable copies the stale inputs of a task to their memory, and
// MakeReadable copies the stale tensors in a list. An input is not copied if
// the delegate that runs the task also owns the buffer of the input. If a copy
// fails and `owner` is not null, sets `*owner` to the delegate that owns the
// buffer. Errors: those of DelegateBuffers::EnsureReadable, with the name of
// the tensor in the message.
absl::Status MakeInputsReadable(size_t task, RunningGraph* graph,
                                const Delegate** owner = nullptr);
absl::Status MakeReadable(absl::Span<const size_t> tensors, RunningGraph* graph,
                          const Delegate** owner = nullptr);

// Records that the task has written its outputs to their memory, which means
// that they are not stale.
void MarkOutputsWritten(size_t task, RunningGraph* graph);

// Implements Subgraph::EnsureReadable, for any tensor of the model.
absl::Status MakeAnyReadable(size_t tensor, const InterpreterOptions& options,
                             RunningGraph* graph);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_BUFFERED_TENSORS_H_
